import type { DisputeRecovery } from '../../domain/billing/disputes.ts';
import type { Dispute } from '../../table/entities/billing.ts';
import { log, metrics } from './log.ts';

/** Logs and counts an opened or closed dispute, for an alarm (lib/stacks/product-alarms.ts). */
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

/** Logs the disputes for which no callback arrived, and the failed comparisons. */
export function reportDisputeRecovery(compared: DisputeRecovery | undefined): void {
  for (const error of compared?.failed ?? []) log.error('disputes could not be compared', error);
  for (const { id } of compared?.recovered ?? []) log.warn('dispute without a callback', { disputeId: id });
}
