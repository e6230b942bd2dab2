import type { FeatureGauge, Figures } from '../../app/feature.ts';
import type { AuditResult } from './audit.ts';

export const GAUGES: readonly FeatureGauge[] = [
  {
    name: 'audit_deliveries',
    help: 'Announcements by what the audit last found in each channel.',
    labels: ['result'],
  },
  { name: 'last_audit_timestamp_seconds', help: 'When the channels were last compared with the ledger.' },
];

/** None before the first audit. */
export function figuresOf(last: AuditResult | null): Figures {
  if (!last) return {};
  const { owed, there, twice, missing, untrue, atMs } = last;
  return { audit_deliveries: { owed, there, twice, missing, untrue }, last_audit_timestamp_seconds: atMs / 1000 };
}
