import type { DisputeRecovery } from '../../domain/billing/disputes.ts';
import type { Dispute } from '../../table/entities/billing.ts';
import { log, metrics } from './log.ts';

/** Logs and counts a dispute that was opened or closed; an alarm uses the metric (lib/stacks/product-alarms.ts). */
export function reportDispute({ id, accountId, topUpId, amountCents, status }: Dispute): void {
  log.warn('card payment disputed', {
    disputeId: id,
    accountId,
    paymentId: topUpId,
    amountCents,
    disputeStatus: status,
    ...metrics({}, { CardDisputes: [1, 'Count'] }),
  });
}

/** Logs the disputes of which no callback told, and those that could not be compared. */
export function reportDisputeRecovery(compared: DisputeRecovery | undefined): void {
  for (const error of compared?.failed ?? []) log.error('disputes could not be compared', error);
  for (const { id } of compared?.recovered ?? []) log.warn('dispute without a callback', { disputeId: id });
}
