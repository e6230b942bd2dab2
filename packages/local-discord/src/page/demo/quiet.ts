import { html, nothing } from 'lit';
import type { DemoState } from '../../server/demo-api.ts';
import { quietReasons } from './quiet-reasons.ts';

/** The reasons, at the top of the panel. */
export function quiet(demo: DemoState): unknown {
  const reasons = quietReasons(demo);
  if (reasons.length === 0) return nothing;
  return html`<p class="demo-note demo-quiet"><strong>Why it’s quiet:</strong> ${reasons.join(' ')}</p>`;
}
