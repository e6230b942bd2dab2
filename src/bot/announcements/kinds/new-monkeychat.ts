import { monkeychatSubject } from '../../deals/monkeychat.ts';
import type { ThingKind } from './kind.ts';

/** An exchange that was not there before. It has no end. */
export const newMonkeychat: ThingKind<'new-monkeychat'> = {
  announce: (monkeychat) => ({
    kind: 'new-monkeychat',
    subject: monkeychatSubject(monkeychat),
    occurrence: '',
    item: monkeychat,
  }),
  hasStarted: () => true,
  isLive: () => true,
  face: () => '',
};
