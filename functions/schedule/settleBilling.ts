import { recoverDisputes } from '../../domain/billing/disputes.ts';
import { billingSweeps } from '../../domain/billing/lifecycle.ts';
import { payments } from '../../runtime/bindings/payments.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { deps } from '../../runtime/deps.ts';
import { reportDispute, reportDisputeRecovery } from '../../runtime/observability/payment-metrics.ts';
import { sweeper } from '../../runtime/triggers/sweeper.ts';

const needs = { ...deps, payments, plans, reportDispute };

/** Every minute: checks payments without a callback, advances due subscriptions and voids overdue invoices. Every hour: checks disputes. */
export const handler = sweeper(billingSweeps(needs), async () => reportDisputeRecovery(await recoverDisputes(needs)));
