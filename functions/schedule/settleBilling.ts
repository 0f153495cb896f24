import { billingSweeps } from '../../domain/billing/lifecycle.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { deps } from '../../runtime/deps.ts';
import { sweeper } from '../../runtime/triggers/sweeper.ts';

/** Every minute: checks payments without a callback, advances due subscriptions and voids overdue invoices. */
export const handler = sweeper(billingSweeps({ ...deps, payments, plans }));
