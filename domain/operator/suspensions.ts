import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import {
  AT_MOST_ONE_TARGET,
  Identifier,
  type setSuspension as SetRoute,
  text,
} from '../../contract/operator/actions.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account, ApiKey, Credential } from '../../table/entities/accounts.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { setSuspension as setAccountOrAppSuspension } from '../processes/suspension.ts';
import { noSuchWebhook } from '../webhooks/endpoints.ts';

/** A request to suspend a key or an endpoint. */
interface SuspensionRequest {
  accountId: string;
  id: string;
  /** Null lifts the suspension. */
  reason: string | null;
}

/** Returns a suspension with this reason. A suspension that only changes its reason keeps its start. */
const newSuspension = (deps: Deps, reason: string, before?: { since: string } | undefined) => ({
  reason,
  since: before?.since ?? deps.now().toISOString(),
});

/** Suspends an API key or lifts its suspension. Requests with either half of a suspended key are refused. Throws 404. */
async function setKeySuspension(deps: Deps, { accountId, id, reason }: SuspensionRequest): Promise<boolean> {
  const key = await deps.table.get(ApiKey, { accountId, id });
  if (!key) throw new ApiError('not_found', 'API key not found.');
  const { suspension: before, hashes } = key;
  if (before?.reason === (reason ?? undefined)) return reason !== null;
  const suspension = reason === null ? undefined : newSuspension(deps, reason, before);
  const when = { 'suspension.reason': unchanged(before?.reason) };
  const keyUpdate = suspension ? { set: { suspension }, when } : { remove: ['suspension'], when };
  const halfUpdate = suspension ? { set: { keySuspended: suspension.reason } } : { remove: ['keySuspended'] };
  const writes = [
    change(ApiKey, { accountId, id }, keyUpdate, concurrentUpdate),
    ...[hashes.secret, hashes.public].map((hash) => change(Credential, { hash }, halfUpdate)),
  ];
  const action = suspension ? ('key.suspended' as const) : ('key.resumed' as const);
  const about = { action, accountId, subjectId: id };
  return await deps.commit(writes, suspension !== undefined, { ...about, ...auditValues(before, suspension) });
}

/** Suspends an endpoint or lifts its suspension. Meanwhile its deliveries are held with their remaining attempts. Throws 404. */
async function setEndpointSuspension(deps: Deps, { accountId, id, reason }: SuspensionRequest): Promise<boolean> {
  const [endpoint, account] = await Promise.all([
    deps.table.get(Webhook, { accountId, id }),
    deps.table.get(Account, { id: accountId }),
  ]);
  if (!endpoint) throw noSuchWebhook();
  const { suspension: before } = endpoint;
  if (before?.reason === (reason ?? undefined)) return reason !== null;
  const suspension = reason === null ? undefined : newSuspension(deps, reason, before);
  const when = { 'suspension.reason': unchanged(before?.reason) };
  const update = suspension
    ? { set: { suspension, heldSince: endpoint.heldSince ?? suspension.since }, when }
    : // While the account is suspended, the deliveries stay held.
      { remove: ['suspension', ...(account?.suspension ? [] : ['heldSince'])], when };
  const action = suspension ? ('webhook.suspended' as const) : ('webhook.resumed' as const);
  const about = { action, accountId, subjectId: id };
  return await deps.commit([change(Webhook, { accountId, id }, update, concurrentUpdate)], suspension !== undefined, {
    ...about,
    ...auditValues(before, suspension),
  });
}

/** Returns both sides of a change for the audit log. */
const auditValues = (before: object | undefined, after: object | undefined) => ({
  ...(before ? { before } : {}),
  after: after ?? {},
});

/** PUT /operator/v1/accounts/{id}/suspension. Requests are refused with the reason within seconds. Idempotent. */
export async function setSuspension(
  deps: Deps,
  _: Caller,
  { id: accountId, applicationId, keyId, endpointId, suspended, reason: given }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  const reason = suspended ? given : null;
  if (keyId === undefined && endpointId === undefined) {
    const target = { accountId, ...(applicationId === undefined ? {} : { applicationId }) };
    return { data: await setAccountOrAppSuspension(deps, { ...target, reason }) };
  }
  const apply = () =>
    keyId === undefined
      ? setEndpointSuspension(deps, { accountId, id: endpointId ?? '', reason })
      : setKeySuspension(deps, { accountId, id: keyId, reason });
  return { data: { suspended: await retryRequest(apply) } };
}

/** Input of the function that operators invoke manually: an account, or one part of it, and the reason, or null to lift the suspension. */
export const ManualSuspensionInput = () =>
  z.object({
    accountId: Identifier(),
    applicationId: z.optional(Identifier()),
    keyId: z.optional(Identifier()),
    endpointId: z.optional(Identifier()),
    reason: z.nullable(text(300)),
  });

/** For operators without the API: does the same as {@link setSuspension}. Throws `invalid_request` for more than one target. */
export async function suspendManually(
  deps: Deps,
  { accountId, reason, ...target }: z.output<ReturnType<typeof ManualSuspensionInput>>,
): Promise<{ suspended: boolean }> {
  if (Object.keys(target).length > 1) throw new ApiError('invalid_request', AT_MOST_ONE_TARGET);
  const input = { id: accountId, suspended: reason !== null, reason: reason ?? '', ...target };
  return (await setSuspension(deps, { accountId: '', keyId: '' }, input)).data;
}
