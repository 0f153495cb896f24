import { ApiError, invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type {
  createWebhook as CreateRoute,
  deleteWebhook as DeleteRoute,
  listWebhooks as ListRoute,
} from '../../contract/webhooks/endpoints.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import {
  isIP,
  isLocalName,
  isLoopback,
  isPublic,
  isPublicName,
  parseHost,
} from '../../providers/webhooks/addresses.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { change, create, remove } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { countTowards } from '../limits/limits.ts';
import { pageBody, pageOf } from '../pages.ts';
import { newSecret } from './secrets.ts';

export const noSuchWebhook = () => new ApiError('not_found', 'Webhook endpoint not found.');

/** Returns an endpoint as the API shows it. */
export function viewWebhook({
  id,
  url,
  description,
  events,
  active,
  createdAt,
}: Webhook): Output<typeof ListRoute>['data'][number] {
  return { id, url, description, events, active, createdAt };
}

/** Reads one of the caller's endpoints. Throws 404. */
export async function findWebhook(deps: Deps, { accountId }: Caller, id: string): Promise<Webhook> {
  const webhook = await deps.table.get(Webhook, { accountId, id });
  if (!webhook) throw noSuchWebhook();
  return webhook;
}

/**
 * Throws 400 for a URL that cannot belong to a public receiver: another scheme, credentials, or an address or name of a private
 * network. The addresses that the name resolves to are checked at each attempt.
 */
export function assertReceiverUrl(text: string, allowLocal: boolean): void {
  const refuse = (reason: string) => invalidField('url', reason);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\s\\\x00-\x1f\x7f]/.test(text) || !URL.canParse(text)) throw refuse('must be a public https:// address');
  // `URL` accepts `https:example.com` and `https:///example.com` as well; other parsers do not.
  if (!/^https?:\/\/[^/]/i.test(text)) throw refuse('must begin with https://');
  const url = new URL(text);
  const host = parseHost(url);
  const local = allowLocal && (isLoopback(host) || isLocalName(host));
  if (url.protocol !== 'https:' && !(local && url.protocol === 'http:')) throw refuse('must begin with https://');
  if (url.port === '0') throw refuse('must not have the port 0');
  if (url.username || url.password) throw refuse('must not hold credentials');
  if (local) return;
  if (isIP(host) === 0 ? !isPublicName(host) : !isPublic(host)) {
    throw refuse('must be on a public name or address');
  }
}

/** POST /v1/webhooks: only this response contains the secret. */
export async function createWebhook(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { url, events, description }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  assertReceiverUrl(url, deps.settings.allowLocalWebhooks);
  const id = deps.newId('whk');
  const createdAt = deps.now().toISOString();
  const { secret, sealed } = await newSecret(deps, id);
  const webhook: Webhook = {
    id,
    accountId,
    url,
    description,
    events,
    active: true,
    failureCount: 0,
    disabledAt: null,
    createdAt,
    secret: sealed,
  };
  const count = countTowards(deps, accountId, ['webhookEndpoints']);
  return await deps.commit([count, create(Webhook, webhook)], { data: { ...viewWebhook(webhook), secret } });
}

/** Returns a page of an account's endpoints. They are so few that one consistent read returns all of them. */
export async function listWebhooksPage<T>(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
  view: (webhook: Webhook) => T,
): Promise<{ data: T[]; has_more: boolean }> {
  return pageBody(pageOf(await deps.table.all(Webhook, webhooksOf(accountId)), page), view);
}

/** GET /v1/webhooks */
export const listWebhooks = (
  deps: Deps,
  caller: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> => listWebhooksPage(deps, caller, page, viewWebhook);

/** DELETE /v1/webhooks/{id}: nothing is sent afterwards, because every attempt reads the endpoint immediately before it sends. */
export async function deleteWebhook(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const { accountId } = caller;
  const webhook = await findWebhook(deps, caller, id);
  return await deps.commit(
    [
      remove(Webhook, { accountId, id }, { pk: 'present' }, noSuchWebhook),
      change(Account, { id: accountId }, { add: { webhookCount: -1 } }),
    ],
    { data: { id, deleted: true } },
    { before: viewWebhook(webhook) },
  );
}
