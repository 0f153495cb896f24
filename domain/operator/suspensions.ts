import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { Identifier, type setSuspension as SetRoute, text } from '../../contract/operator/acts.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, ApiKey, Credential } from '../../table/entities/accounts.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { setSuspension as setAccountOrApp } from '../processes/suspension.ts';
import { noSuchWebhook } from '../webhooks/endpoints.ts';

interface Target {
  accountId: string;
  id: string;
  /** Null lifts. */
  reason: string | null;
}

const sinceNow = (deps: Deps, reason: string, before?: { since: string } | undefined) => ({
  reason,
  since: before?.since ?? deps.now().toISOString(),
});

/** Suspends a key: both halves are refused from their next request on. */
async function suspendKey(deps: Deps, { accountId, id, reason }: Target): Promise<boolean> {
  const key = await deps.table.get(ApiKey, { accountId, id });
  if (!key) throw new ApiError('not_found', 'API key not found.');
  const { suspension: before, hashes } = key;
  if (before?.reason === (reason ?? undefined)) return reason !== null;
  const of = { accountId, id };
  const suspension = reason === null ? undefined : sinceNow(deps, reason, before);
  const when = { 'suspension.reason': unchanged(before?.reason) };
  const onKey = suspension ? { set: { suspension }, when } : { remove: ['suspension'], when };
  const onHalf = suspension ? { set: { keySuspended: suspension.reason } } : { remove: ['keySuspended'] };
  const writes = [
    change(ApiKey, of, onKey, concurrentUpdate),
    ...[hashes.secret, hashes.public].map((hash) => change(Credential, { hash }, onHalf)),
  ];
  const action = suspension ? ('key.suspended' as const) : ('key.resumed' as const);
  const about = { action, accountId, subjectId: id };
  return await deps.commit(writes, suspension !== undefined, { ...about, ...sides(before, suspension) });
}

/** Suspends an endpoint: its deliveries wait, with the attempts that they have left, until the suspension is lifted. */
async function suspendEndpoint(deps: Deps, { accountId, id, reason }: Target): Promise<boolean> {
  const [endpoint, account] = await Promise.all([
    deps.table.get(Webhook, { accountId, id }),
    deps.table.get(Account, { id: accountId }),
  ]);
  if (!endpoint) throw noSuchWebhook();
  const { suspension: before } = endpoint;
  if (before?.reason === (reason ?? undefined)) return reason !== null;
  const suspension = reason === null ? undefined : sinceNow(deps, reason, before);
  const when = { 'suspension.reason': unchanged(before?.reason) };
  const what = suspension
    ? { set: { suspension, heldSince: endpoint.heldSince ?? suspension.since }, when }
    : // While the account is suspended, deliveries wait all the same.
      { remove: ['suspension', ...(account?.suspension ? [] : ['heldSince'])], when };
  const action = suspension ? ('webhook.suspended' as const) : ('webhook.resumed' as const);
  const about = { action, accountId, subjectId: id };
  return await deps.commit([change(Webhook, { accountId, id }, what, concurrentUpdate)], suspension !== undefined, {
    ...about,
    ...sides(before, suspension),
  });
}

const sides = (before: object | undefined, after: object | undefined) => ({
  ...(before ? { before } : {}),
  after: after ?? {},
});

/** PUT /operator/v1/accounts/{id}/suspension. Customers are refused with the reason within seconds. Repeating it changes nothing. */
export async function setSuspension(
  deps: Deps,
  _: Caller,
  { id: accountId, applicationId, keyId, endpointId, suspended: wanted, reason: given }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  const reason = wanted ? given : null;
  if (keyId === undefined && endpointId === undefined) {
    const of = { accountId, ...(applicationId === undefined ? {} : { applicationId }) };
    return { data: await setAccountOrApp(deps, { ...of, reason }) };
  }
  const suspend = () =>
    keyId === undefined
      ? suspendEndpoint(deps, { accountId, id: endpointId ?? '', reason })
      : suspendKey(deps, { accountId, id: keyId, reason });
  return { data: { suspended: await retryOnConflict(suspend, { onExhausted: serviceBusy }) } };
}

/** Input of the function that operators invoke by hand: the account, or one part of it; the reason, or null to lift. */
export const SuspensionByHand = () =>
  z.object({
    accountId: Identifier(),
    applicationId: z.optional(Identifier()),
    keyId: z.optional(Identifier()),
    endpointId: z.optional(Identifier()),
    reason: z.nullable(text(300)),
  });

/** Suspends or lifts without the API, as {@link setSuspension} does. */
export async function suspendByHand(
  deps: Deps,
  { accountId, reason, ...target }: z.output<ReturnType<typeof SuspensionByHand>>,
): Promise<{ suspended: boolean }> {
  if (Object.keys(target).length > 1)
    throw new ApiError('invalid_request', 'applicationId, keyId, endpointId: at most one of them');
  const input = { id: accountId, suspended: reason !== null, reason: reason ?? '', ...target };
  return (await setSuspension(deps, { accountId: '', keyId: '' }, input)).data;
}
