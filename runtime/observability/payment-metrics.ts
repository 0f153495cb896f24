import type { Dispute } from '../../table/entities/billing.ts';
import { log, metrics } from './log.ts';

/** Logs and counts a dispute that was opened or closed; an alarm uses the metric (lib/stacks/operations-alarms.ts). */
export function reportDispute({ id, accountId, topUpId, amountCents, status }: Dispute): void {
  log.warn('card payment disputed', {
    ...{ disputeId: id, accountId, paymentId: topUpId, amountCents, disputeStatus: status },
    ...metrics({}, { CardDisputes: [1, 'Count'] }),
  });
}
