import { ApiError, invalidField } from '../../contract/errors.ts';
import type {
  adjustMoney as AdjustRoute,
  cancelDeployment as CancelRoute,
  changeLimits as LimitsRoute,
  openCustomerAccount as OpenRoute,
  resendForCustomer as ResendRoute,
} from '../../contract/operator/actions.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { openAccount } from '../accounts/accounts.ts';
import { addCredits, newCreditEntry, takeCredits } from '../ai/entries.ts';
import { adjustAccount } from '../billing/adjustments.ts';
import { parseCents } from '../billing/money.ts';
import type { ReadPlans } from '../billing/plans.ts';
import { grantSubscription } from '../billing/subscriptions.ts';
import { cancelInvoice } from '../billing/unpaid-invoices.ts';
import { noSuchDeployment } from '../deployments/create.ts';
import type { Caller, Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { overrideLimits } from '../limits/overrides.ts';
import { resendDelivery } from '../webhooks/management.ts';
import { respondWith } from './respond-with.ts';

/** Actions of operators on an account (docs/decisions/0048-operators.md). They share their rules with the operator functions. */

const MICRO_RAND_PER_CENT = 10_000;

const tooFewCredits = () =>
  new ApiError('insufficient_credits', 'The account has fewer available AI credits than this amount.');
const notInProgress = () =>
  new ApiError('conflict', 'This deployment is not in progress, or its release receives traffic already.');

/**
 * POST /operator/v1/accounts/{id}/deployments/{deploymentId}/cancel. The stream stops the execution and the build. Throws 404, and 409 unless
 * the deployment is in progress.
 */
export async function cancelDeployment(
  deps: Deps,
  _: Caller,
  { id: accountId, deploymentId: id, reason }: Input<typeof CancelRoute>,
): Promise<Output<typeof CancelRoute>> {
  const deployment = await deps.table.get(Deployment, { accountId, id });
  if (!deployment) throw noSuchDeployment();
  if (deployment.finishedAt !== null || deployment.waiting) throw notInProgress();
  const when = { status: { oneOf: ['QUEUED', 'RUNNING'] }, switchingAt: 'absent' } as const;
  const cancellation = { set: { cancelled: reason }, when };
  return await deps.commit(
    [change(Deployment, { accountId, id }, cancellation, notInProgress)],
    { data: { id } },
    { action: 'deployment.cancelled', accountId, subjectId: id, after: { applicationId: deployment.applicationId } },
  );
}

/** PATCH /operator/v1/accounts/{id}/limits */
export async function changeLimits(
  deps: Deps,
  _: Caller,
  { id, limits }: Input<typeof LimitsRoute>,
): Promise<Output<typeof LimitsRoute>> {
  const all = await overrideLimits(deps, id, limits);
  const entries = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { data: { limitOverrides: Object.fromEntries(entries) } };
}

/** Adds AI credits, or with a negative amount removes available ones. Throws 404, and 402 if fewer are available. */
async function adjustCredits(deps: Deps, accountId: string, amount: string): Promise<Output<typeof AdjustRoute>> {
  const cents = parseCents(amount);
  await findAccount(deps, accountId);
  const microRand = cents * MICRO_RAND_PER_CENT;
  const entry = newCreditEntry(deps, accountId, 'ADJUSTMENT', microRand);
  const writes = microRand > 0 ? addCredits(entry) : takeCredits(entry, tooFewCredits);
  return await deps.commit(
    writes,
    { data: {} },
    { action: 'ai-credits.adjusted', accountId, subjectId: accountId, after: { amount } },
  );
}

/** POST /operator/v1/accounts/{id}/adjustments */
export async function adjustMoney(
  deps: Deps & { plans: ReadPlans },
  _: Caller,
  { id: accountId, wallet, credits, invoice, voidInvoice, grant }: Input<typeof AdjustRoute>,
): Promise<Output<typeof AdjustRoute>> {
  if ([wallet, credits, invoice, voidInvoice, grant].filter(Boolean).length !== 1)
    throw new ApiError(
      'invalid_request',
      'exactly one of wallet, credits, invoice, voidInvoice and grant must be given',
    );
  for (const [name, adjusted] of Object.entries({ wallet, credits }))
    if (adjusted && parseCents(adjusted.amount) === 0) throw invalidField(`${name}.amount`, 'must not be 0.00');
  if (credits) return await adjustCredits(deps, accountId, credits.amount);
  if (voidInvoice)
    return await respondWith(
      deps,
      (shared) => cancelInvoice(shared, accountId, voidInvoice.id),
      ({ id }) => ({ data: { invoiceId: id } }),
    );
  if (grant)
    return await respondWith(
      deps,
      (shared) => grantSubscription(shared, accountId, grant),
      ({ data }) => ({ data: { subscriptionId: data.id } }),
    );
  const adjustment = {
    accountId,
    ...(wallet ? { adjust: { amountCents: parseCents(wallet.amount), description: wallet.description } } : {}),
    ...(invoice
      ? { invoice: { kind: invoice.kind, description: invoice.description, cents: positiveCents(invoice.amount) } }
      : {}),
  };
  return await respondWith(
    deps,
    (shared) => adjustAccount(shared, adjustment),
    ({ invoiceId }) => ({ data: { ...(invoiceId ? { invoiceId } : {}) } }),
  );
}

function positiveCents(amount: string): number {
  const cents = parseCents(amount);
  if (cents <= 0) throw invalidField('invoice.amount', 'must be more than 0.00');
  return cents;
}

/** POST /operator/v1/accounts/{id}/deliveries/{deliveryId}/resend. Counts towards the customer's limit of resends. */
export async function resendForCustomer(
  deps: Deps,
  _: Caller,
  { id: accountId, deliveryId }: Input<typeof ResendRoute>,
): Promise<Output<typeof ResendRoute>> {
  const about = { action: 'delivery.resent' as const, accountId, subjectId: deliveryId };
  // A customer's route names the action and the account of the audit entry. For an operator's route, the change must name them.
  const commit: Deps['commit'] = (writes, output, change) => deps.commit(writes, output, { ...change, ...about });
  return await respondWith(
    { ...deps, commit },
    (shared) => resendDelivery(shared, { accountId, keyId: '' }, { id: deliveryId }),
    ({ data }) => ({ data: { id: data.id, status: data.status } }),
  );
}

/** POST /operator/v1/accounts */
export async function openCustomerAccount(
  deps: Deps,
  _: Caller,
  { email, name, plan, keys }: Input<typeof OpenRoute>,
): Promise<Output<typeof OpenRoute>> {
  const input = { email, name, plan, keys, walletCents: 0, aiCreditsMicroRand: 0 };
  return await respondWith(
    deps,
    (shared) => openAccount(shared, input),
    (data) => ({ data }),
  );
}
