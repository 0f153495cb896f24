import { createApp as createAppRoute, listApps } from '../../contract/apps/apps.ts';
import { type Client, createClient } from '../../contract/client.ts';
import { SCOPES } from '../../contract/route.ts';
import { createWebhook as createWebhookRoute, listWebhooks } from '../../contract/webhooks/endpoints.ts';
import type { DnsResolver } from '../../providers/dns/targets.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { Checks } from '../../table/entities/checks.ts';
import { change, create } from '../../table/writes.ts';
import { openAccount } from '../accounts/accounts.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { enableWebhook } from '../webhooks/management.ts';

/** Dependencies of the synthetic checks beyond {@link Deps}: the platform as a customer sees it. */
export interface CheckDeps extends Deps {
  secrets: Secrets;
  resolver: DnsResolver;
  /** Sends a request; rejects when the response takes too long. */
  send: (url: string, init?: RequestInit) => Promise<Response>;
  /** The issuer of logins, and the client id of the dashboard. */
  login: { issuer: string; clientId: string };
  /** A name that the platform's name servers answer for. */
  dnsName: string;
  /** The repository of the page that the checks deploy; if empty, only the application's placeholder page is checked. */
  repoUrl: string;
}

/** The account of the checks with its client and key. */
export interface CheckAccount {
  state: Checks;
  client: Client;
  secretKey: string;
  /** True in the run that created the application: the stream has not published its address yet. */
  isNew?: true;
}

/** Credits that the account starts with, and receives again when they are used up: R50.00, enough for months of the cheapest calls. */
export const CHECK_CREDITS_MICRO_RAND = 50_000_000;
const SEALED_UNDER = { checks: 'secretKey' };

/** Opens the account of the checks: one for the whole installation, with one application and all scopes. */
async function openCheckAccount(deps: CheckDeps): Promise<Checks> {
  const { id: accountId, keys } = await openAccount(deps, {
    email: 'checks@example.com',
    name: 'Synthetic checks',
    plan: { slug: 'checks', name: 'Synthetic checks', appLimit: 1 },
    walletCents: 0,
    aiCreditsMicroRand: CHECK_CREDITS_MICRO_RAND,
    keys: [{ name: 'checks', scopes: [...SCOPES] }],
  });
  const secretKey = await deps.secrets.seal(SEALED_UNDER, keys[0]?.secretKey ?? '');
  const state: Checks = { accountId, secretKey };
  await deps.table.transact([create(Checks, state, concurrentUpdate)]);
  return state;
}

/** Updates the stored state of the checks. */
export async function updateChecks(
  deps: Pick<Deps, 'table'>,
  set: Partial<Checks>,
  forget: string[] = [],
): Promise<void> {
  await deps.table.transact([change(Checks, {}, { set, remove: forget }, concurrentUpdate)]);
}

/** Returns the account of the checks with its application. Each is created once and reused afterwards. */
export async function prepareChecks(deps: CheckDeps): Promise<CheckAccount> {
  const found = (await deps.table.get(Checks, {})) ?? (await openCheckAccount(deps));
  const secretKey = await deps.secrets.unseal(SEALED_UNDER, found.secretKey);
  const client = createClient({ baseUrl: deps.settings.publicUrl, secretKey, fetch: deps.send });
  if (found.applicationId !== undefined) return { state: found, client, secretKey };
  const { id: applicationId, defaultDomain: host } = await prepareApp(deps, client);
  await updateChecks(deps, { applicationId, host });
  return { state: { ...found, applicationId, host }, client, secretKey, isNew: true };
}

/** Returns the application of the checks. An earlier run may have created it and ended before it stored that: the plan allows only one. */
async function prepareApp({ repoUrl }: CheckDeps, client: Client) {
  const { body: listed, error: unlisted } = await client.call(listApps);
  if (unlisted) throw new Error(`The applications of the checks cannot be listed: ${unlisted.message}`);
  const [known] = listed.data;
  if (known) return known;
  const source = repoUrl ? { repoUrl, deployNow: true } : {};
  const { body, error } = await client.call(createAppRoute, {
    body: { name: 'Synthetic check', framework: 'NODE', startFile: 'server.js', ...source },
  });
  if (error) throw new Error(`The application of the checks was not created: ${error.message}`);
  return body.data;
}

/** Returns the URL of the checks' page. It has a port on the local run only. */
export function pageUrlOf({ settings: { publicUrl } }: Pick<Deps, 'settings'>, host: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port ? `:${port}` : ''}/`;
}

/**
 * Returns the webhook endpoint of the checks, whose receiver is the page of the checks. It is created once the page is deployed, and enabled
 * again if the page was down for so long that it was disabled.
 */
export async function prepareEndpoint(deps: CheckDeps, { state, client }: CheckAccount): Promise<string> {
  const { body: listed, error } = await client.call(listWebhooks);
  if (error) throw new Error(`The endpoints of the checks cannot be listed: ${error.message}`);
  // An earlier run may have created the endpoint and ended before it stored that.
  const known = listed.data.find(({ id }) => id === (state.webhookId ?? id));
  const id = known?.id ?? (await createEndpoint(deps, client, state.host ?? ''));
  if (known?.active === false) await enableWebhook(deps, { accountId: state.accountId, keyId: '' }, { id });
  if (id !== state.webhookId) await updateChecks(deps, { webhookId: id });
  return id;
}

async function createEndpoint(deps: CheckDeps, client: Client, host: string): Promise<string> {
  const body = { url: pageUrlOf(deps, host), events: ['app.deleted' as const], description: 'Synthetic check' };
  const { body: made, error } = await client.call(createWebhookRoute, { body });
  if (error) throw new Error(`The endpoint of the checks was not created: ${error.message}`);
  return made.data.id;
}
