import * as z from 'zod/mini';
import { getAccount } from '../../contract/accounts/accounts.ts';
import { listModels } from '../../contract/ai/gateway.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { memoize } from '../../contract/memoize.ts';
import type { Output } from '../../contract/route.ts';
import { listDeliveries } from '../../contract/webhooks/management.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { remove } from '../../table/writes.ts';
import { addCredits, newCreditEntry } from '../ai/entries.ts';
import { concurrentUpdate } from '../conflict.ts';
import { rollBack } from '../deployments/rollback.ts';
import type { Caller } from '../deps.ts';
import { pingWebhook } from '../webhooks/management.ts';
import {
  CHECK_CREDITS_MICRO_RAND,
  type CheckAccount,
  type CheckDeps,
  pageUrlOf,
  prepareChecks,
  prepareEndpoint,
  updateChecks,
} from './check-setup.ts';

/**
 * Synthetic checks: every minute they use each product as a customer does. Deployments and deliveries take longer than a request: one run
 * starts them and a later run evaluates them, so that no run waits.
 */

export const CHECKS = ['login', 'api', 'hosted-page', 'deployment', 'webhook', 'ai', 'dns'] as const;
export type CheckName = (typeof CHECKS)[number];

/** The result of one check. */
export interface CheckResult {
  check: CheckName;
  outcome: 'PASSED' | 'FAILED';
  /** Duration of the checked operation. */
  milliseconds: number;
  /** The unexpected result. */
  problem?: string;
}

/** A delivery, and a release without a build, take seconds. A first build may wait for a builder. */
const MAX_DELIVERY_MS = 60_000;
const MAX_RELEASE_MS = 5 * 60_000;
const MAX_BUILD_MS = 60 * 60_000;
const MAX_REDIRECTS = 5;
/** Finished deployments of the checks that are kept for diagnosis. */
const KEPT_DEPLOYMENTS = 3;

/** A result that fails a check. */
class UnexpectedResult extends Error {}

/** A check that passed, with its duration, or one that is not evaluated now. */
type Finding = { milliseconds: number } | 'NOT_EVALUATED';
type Check = (deps: CheckDeps, account: CheckAccount) => Promise<Finding>;

async function timed(deps: CheckDeps, act: () => Promise<void>): Promise<Finding> {
  const started = deps.now().getTime();
  await act();
  return { milliseconds: deps.now().getTime() - started };
}

/** Throws unless a response has status 200, with its request id, by which the logs of all functions are searched. */
function expectOk(what: string, { status, headers }: Pick<Response, 'status' | 'headers'>): void {
  if (status === 200) return;
  const id = headers.get('x-request-id') ?? headers.get('x-amz-cf-id') ?? 'none';
  throw new UnexpectedResult(`${what} answered ${status}, not 200 (request ${id})`);
}

const callerOf = ({ state }: CheckAccount): Caller => ({ accountId: state.accountId, keyId: '' });

/** Follows redirects as a browser does: the sign-in page requires the cookies that the redirect to it has set. */
async function followWithCookies(deps: CheckDeps, address: string): Promise<Response> {
  const cookies = new Map<string, string>();
  let url = address;
  for (let hops = 0; hops < MAX_REDIRECTS; hops += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await deps.send(url, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    for (const [, name = '', value = ''] of answer.headers
      .getSetCookie()
      .map((header) => /^([^=]+)=([^;]*)/.exec(header) ?? [])) {
      cookies.set(name, value);
    }
    url = new URL(location, url).href;
  }
  throw new UnexpectedResult(`The sign-in page is more than ${MAX_REDIRECTS} redirects away`);
}

const Configuration = memoize(() => z.object({ authorization_endpoint: z.url(), jwks_uri: z.url() }));

/** Checks a sign-in up to the password: the issuer's configuration, its keys and its sign-in page. */
const login: Check = (deps) =>
  timed(deps, async () => {
    const { issuer, clientId } = deps.login;
    const configuration = await deps.send(`${issuer}/.well-known/openid-configuration`);
    expectOk('The issuer of logins', configuration);
    const { authorization_endpoint: page, jwks_uri: keys } = Configuration().parse(await configuration.json());
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: `${deps.settings.publicUrl}/dashboard/callback`,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'check',
    });
    const [signIn, jwks] = await Promise.all([followWithCookies(deps, `${page}?${query}`), deps.send(keys)]);
    expectOk('The sign-in page', signIn);
    expectOk('The keys of the issuer', jwks);
  });

const api: Check = (deps, { client }) =>
  timed(deps, async () => {
    expectOk('GET /v1/account', await client.call(getAccount));
  });

const hostedPage: Check = async (deps, { state, isNew }) => {
  if (isNew) return 'NOT_EVALUATED';
  return await timed(deps, async () => {
    const url = pageUrlOf(deps, state.host ?? '');
    const answer = await deps.send(url);
    await answer.text();
    expectOk(url, answer);
  });
};

/** Checks a minimal call to the cheapest model on credits. */
const ai: Check = async (deps, { client, secretKey, state }) => {
  const { body: models } = await client.call(listModels);
  const priceOf = ({ pricing_zar_per_million: { input, output } }: (typeof models.data)[number]) =>
    Number(input) + Number(output);
  const cheapest = models.data.filter(({ credits }) => credits).sort((a, b) => priceOf(a) - priceOf(b))[0];
  if (!cheapest) return 'NOT_EVALUATED';
  const { publicUrl } = deps.settings;
  const started = deps.now().getTime();
  const answer = await deps.send(`${publicUrl}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: cheapest.id, max_tokens: 16, messages: [{ role: 'user', content: 'Say ok.' }] }),
  });
  await answer.text();
  if (answer.status === 402) {
    const entry = newCreditEntry(deps, state.accountId, 'ADJUSTMENT', CHECK_CREDITS_MICRO_RAND);
    await deps.table.transact(addCredits(entry));
    return 'NOT_EVALUATED';
  }
  expectOk(`A call to ${cheapest.id}`, answer);
  return { milliseconds: deps.now().getTime() - started };
};

const dns: Check = (deps) =>
  timed(deps, async () => {
    const { alias, addresses } = await deps.resolver.resolve(deps.dnsName);
    if (alias === undefined && addresses.length === 0) throw new UnexpectedResult(`${deps.dnsName} has no address`);
  });

type Deployments = Output<typeof listDeployments>['data'];

/** The last deployment of the checks: its duration, or its failure. */
interface Ended {
  finding: Finding;
  failure?: UnexpectedResult;
}

/** Evaluates the deployment that an earlier run started. Throws for one that does not end. @returns undefined while it is in progress */
async function evaluateDeployment(
  deps: CheckDeps,
  { state, client }: CheckAccount,
  [newest]: Deployments,
): Promise<Ended | undefined> {
  const pending = state.deployment ?? newest;
  if (!pending) return { finding: 'NOT_EVALUATED' };
  const { body, error } = await client.call(getDeployment, { params: { id: pending.id } });
  const forget = () => (state.deployment ? updateChecks(deps, {}, ['deployment']) : undefined);
  if (error) {
    await forget();
    throw new UnexpectedResult(`The deployment ${pending.id} cannot be read: ${error.message}`);
  }
  const { status, trigger, startedAt, finishedAt } = body.data;
  const waited = deps.now().getTime() - Date.parse(startedAt);
  const isLate = waited > (trigger === 'ROLLBACK' ? MAX_RELEASE_MS : MAX_BUILD_MS);
  if (finishedAt === null && !isLate) return undefined;
  await forget();
  if (finishedAt === null)
    throw new UnexpectedResult(`The deployment ${pending.id} is still in progress after ${waited} ms`);
  if (status === 'FAILED')
    return { finding: 'NOT_EVALUATED', failure: new UnexpectedResult(`The deployment ${pending.id} failed`) };
  return { finding: { milliseconds: Date.parse(finishedAt) - Date.parse(startedAt) } };
}

/**
 * Checks that the last deployment has ended, and starts the next one: a rollback to a kept release if there is one, else a build. A failed
 * deployment fails the check once, and the next one shows whether the fault is over. A failed build is repeated after an hour only.
 */
const deployment: Check = async (deps, account) => {
  const { state, client } = account;
  const { applicationId = '' } = state;
  if (deps.repoUrl === '') return 'NOT_EVALUATED';
  const { body: page } = await client.call(listDeployments, { params: { id: applicationId } });
  const ended = await evaluateDeployment(deps, account, page.data);
  if (!ended) return 'NOT_EVALUATED';
  const { finding, failure } = ended;
  const caller = callerOf(account);
  const kept = page.data.find(({ canRollBack }) => canRollBack);
  const [newest] = page.data;
  const isTooSoon = newest !== undefined && deps.now().getTime() - Date.parse(newest.startedAt) < MAX_BUILD_MS;
  if (failure && !kept && isTooSoon) throw failure;
  const begun = kept
    ? (await rollBack(deps, caller, { id: applicationId, deploymentId: kept.id })).data
    : (await client.call(createDeployment, { params: { id: applicationId } })).body.data;
  await updateChecks(deps, { deployment: { id: begun.id, at: begun.startedAt } });
  const outdated = page.data.filter(({ trigger, finishedAt }) => trigger === 'ROLLBACK' && finishedAt !== null);
  const { accountId } = caller;
  await deps.table.transact(
    outdated.slice(KEPT_DEPLOYMENTS).map(({ id }) => remove(Deployment, { accountId, id }, {}, concurrentUpdate)),
  );
  if (failure) throw failure;
  return finding;
};

/** Checks that the last ping was delivered, and sends the next one. The receiver is the page of the checks. */
const webhook: Check = async (deps, account) => {
  const { state, client } = account;
  if (deps.repoUrl === '') return 'NOT_EVALUATED';
  const { body: deployments } = await client.call(listDeployments, { params: { id: state.applicationId ?? '' } });
  // The placeholder page cannot receive webhooks.
  if (!deployments.data.some(({ status }) => status === 'SUCCEEDED')) return 'NOT_EVALUATED';
  const id = await prepareEndpoint(deps, account);
  const now = deps.now();
  let finding: Finding = 'NOT_EVALUATED';
  if (state.ping) {
    const { eventId, at } = state.ping;
    const { body } = await client.call(listDeliveries, { params: { id } });
    const delivery = body.data.find((each) => each.eventId === eventId);
    const waited = now.getTime() - Date.parse(at);
    if (delivery?.status !== 'DELIVERED' && waited <= MAX_DELIVERY_MS) return 'NOT_EVALUATED';
    await updateChecks(deps, {}, ['ping']);
    if (delivery?.status !== 'DELIVERED')
      throw new UnexpectedResult(`The ping ${eventId} is ${delivery?.status ?? 'not attempted'} after ${waited} ms`);
    finding = { milliseconds: Date.parse(delivery.attempts.at(-1)?.at ?? at) - Date.parse(at) };
  }
  const { data } = await pingWebhook(deps, callerOf(account), { id });
  await updateChecks(deps, { ping: { eventId: data.eventId, at: now.toISOString() } });
  return finding;
};

const ALL: Record<CheckName, Check> = { login, api, 'hosted-page': hostedPage, deployment, webhook, ai, dns };

async function runCheck(check: CheckName, deps: CheckDeps, account: CheckAccount): Promise<CheckResult[]> {
  const started = deps.now().getTime();
  try {
    const finding = await ALL[check](deps, account);
    return finding === 'NOT_EVALUATED' ? [] : [{ check, outcome: 'PASSED', ...finding }];
  } catch (error) {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return [{ check, outcome: 'FAILED', milliseconds: deps.now().getTime() - started, problem }];
  }
}

/**
 * Runs every check once, and returns the results of the checks that were evaluated. A deployment or delivery in progress is evaluated by a
 * later run. A check whose subject is not set up (no repository, no model on credits) is never evaluated.
 */
export async function runChecks(deps: CheckDeps): Promise<{ accountId: string; results: CheckResult[] }> {
  const account = await prepareChecks(deps);
  const results = await Promise.all(CHECKS.map((check) => runCheck(check, deps, account)));
  return { accountId: account.state.accountId, results: results.flat() };
}
