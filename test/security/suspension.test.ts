import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { getAccount } from '../../contract/accounts/accounts.ts';
import { getMe } from '../../contract/accounts/me.ts';
import { createApp, deleteApp, getApp, listApps, updateApp } from '../../contract/apps/apps.ts';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { listDeliveries } from '../../contract/webhooks/management.ts';
import { accountQueue, setSuspension } from '../../domain/processes/suspension.ts';
import { expectJob } from '../../domain/sweep/pending-jobs.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { PendingJob } from '../../table/entities/jobs.ts';
import { change } from '../../table/writes.ts';
import { get } from '../support/browse.ts';
import { deployer } from '../support/deployer.ts';
import { invokeFunction } from '../support/functions.ts';
import {
  accessTokenOf,
  local,
  newAccount,
  type OpenedAccount,
  platformDeps,
  raw,
  waitFor,
} from '../support/harness.ts';
import { type Receiver, receiver } from '../support/receivers.ts';

const { baseUrl } = local;

/** Functions of the domain, against the platform's table: what operators invoke, and what runs by the clock. */
async function operators() {
  const deps = await platformDeps();
  const set = (id: string, fields: object) => deps.table.transact([change(Account, { id }, { set: { ...fields } })]);
  return {
    suspend: (accountId: string, reason: string | null, applicationId?: string) =>
      setSuspension(deps, { accountId, reason, ...(applicationId ? { applicationId } : {}) }),
    deploymentsOf: async (applicationId: string) =>
      (await deps.table.list(Deployment, deploymentsOf(applicationId), { limit: 100, offset: 0 })).items,
    /** Leaves an application as if the stream had lost the change of its status two minutes ago. @returns whether that is still so */
    async loseChange(accountId: string, id: string) {
      const app = await deps.table.get(App, { accountId, id });
      if (!app) throw new Error('no such application');
      const now = () => new Date(Date.now() - 120_000);
      await deps.table.transact([expectJob({ now }, App, app, 'app.apply-status', 'lost')]);
      const key = { job: 'app.apply-status', subject: App.key({ accountId, id }) };
      return async () => (await deps.table.get(PendingJob, key)) !== undefined;
    },
    /** Gives an account another plan, as the end of a subscription does. */
    shrinkPlan: (id: string, appLimit: number) => set(id, { plan: { slug: 'app-1', name: 'App 1', appLimit } }),
    /** Ends the grace period of an account. */
    async endGracePeriod(id: string) {
      const past = new Date(Date.now() - 1000).toISOString();
      const { planLimit } = (await deps.table.get(Account, { id })) ?? {};
      const steps = planLimit?.steps.map((step) => ({ ...step, suspendsAt: past }));
      await set(id, { planLimit: { ...planLimit, steps }, dueAt: past });
      await sweep(deps, accountQueue);
    },
  };
}

const page = async ({ primaryDomain }: { primaryDomain: string }) => {
  const { status, body } = await get(baseUrl, primaryDomain);
  return { status, body, isSuspended: status === 503 && body.includes('This application is suspended.') };
};
const typesOf = ({ received }: Receiver) => received.map(({ headers }) => headers['x-service-event']);

interface Fields {
  repoUrl?: string;
  installCommand?: string;
  deployNow?: boolean;
}
async function newApp(account: OpenedAccount, fields: Fields = {}) {
  const body = { name: 'Suspended', framework: 'EXPRESS' as const, deployNow: false, ...fields };
  return (await account.call(createApp, { body })).body.data;
}

/** Returns the responses to requests of every kind that an account can make. */
async function requestsOf({ secretKey, publicKey, accessToken }: OpenedAccount, appId: string): Promise<Response[]> {
  const key = { authorization: `Bearer ${secretKey}` };
  const login = { authorization: `Bearer ${accessToken}` };
  const post = (json: object = {}): RequestInit => ({ method: 'POST', body: JSON.stringify(json) });
  const chat = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'say exactly: hi' }] };
  return await Promise.all([
    raw('/v1/account', { headers: key }),
    raw('/v1/apps', { headers: key }),
    raw('/v1/plans', { headers: { 'x-public-key': publicKey } }),
    raw('/v1/apps', { ...post({ name: 'Another' }), headers: { ...key, 'idempotency-key': 'another' } }),
    raw(`/v1/apps/${appId}/deployments`, { ...post(), headers: key }),
    raw(`/v1/apps/${appId}`, { method: 'PATCH', body: '{"branch":"next"}', headers: key }),
    raw(`/v1/apps/${appId}/env`, { method: 'PUT', body: '{"vars":[]}', headers: key }),
    raw(`/v1/apps/${appId}`, { method: 'DELETE', headers: key }),
    raw('/ai/v1/models', { headers: key }),
    raw('/ai/v1/chat/completions', { ...post(chat), headers: key }),
    raw('/ai/v1/chat/completions', { ...post({ ...chat, stream: true }), headers: key }),
    raw('/dashboard/v1/account', { headers: login }),
    raw('/dashboard/v1/keys', { headers: login }),
    raw('/dashboard/v1/keys', { ...post({ name: 'New', scopes: ['read'] }), headers: login }),
    raw('/dashboard/v1/deliveries/dlv_0/resend', { ...post(), headers: login }),
    raw('/dashboard/v1/ai/chat/completions', { ...post({ ...chat, stream: true }), headers: login }),
  ]);
}

describe.concurrent('suspension', () => {
  test('a suspended account is refused everywhere, its build ends and its events wait, until the suspension is lifted', async () => {
    const [{ suspend, deploymentsOf }, account, other, hook] = await Promise.all([
      operators(),
      newAccount(),
      newAccount(),
      receiver(),
    ]);
    const { create, deploy } = deployer(() => account);
    // The endpoint first: what happens before it exists is never sent to it.
    const { body } = await account.call(createWebhook, { body: { url: hook.url } });
    const [live, building] = await Promise.all([
      create('hello-express'),
      newApp(account, {
        repoUrl: 'https://git.localhost/hello-node.git',
        installCommand: 'sleep 300',
        deployNow: true,
      }),
    ]);
    expect(await deploy(live.id)).toMatchObject({ status: 'SUCCEEDED' });
    const released = await page(live);
    expect(released.status).toBe(200);
    const first = ['app.created', 'app.created', 'deployment.started', 'deployment.started', 'deployment.succeeded'];
    await waitFor(async () => typesOf(hook).sort().join() === first.join());
    const before = hook.received.length;

    const reason = 'Payment dispute 4711. Write to support.';
    const suspended = { suspended: true };
    expect([await suspend(account.id, reason), await suspend(account.id, reason)]).toEqual([suspended, suspended]);
    await waitFor(async () => (await account.call(getAccount)).status === 403);
    await waitFor(async () => (await account.dashboard.call(getAccount)).status === 403);
    for (const answer of await requestsOf(account, live.id)) {
      const error = { code: 'forbidden', status: 403, message: `This account is suspended: ${reason}` };
      expect([answer.url, await answer.json()]).toEqual([answer.url, { error }]);
      expect(answer.headers.get('x-ratelimit-remaining')).not.toBeNull();
    }
    // What a login needs to switch to another account.
    const me = { suspensionReason: reason, account: { id: account.id }, accounts: [{ id: account.id, role: 'owner' }] };
    expect((await account.dashboard.call(getMe)).body.data).toMatchObject(me);
    expect((await other.call(getAccount)).status).toBe(200);
    const second = await accessTokenOf(decodeJwt(account.accessToken).sub ?? '', { session: 'second' });
    const asSecond = (method: string, path: string) =>
      raw(`/dashboard/v1${path}`, { method, headers: { authorization: `Bearer ${second}` } });
    expect((await asSecond('GET', '/account')).status).toBe(403);
    expect((await asSecond('DELETE', '/session')).status, 'sign-out').toBe(200);
    await waitFor(async () => (await page(live)).isSuspended && (await page(building)).isSuspended);
    // Its build ends after that: lifted before, it would go on.
    await waitFor(async () => (await deploymentsOf(building.id)).every(({ status }) => status === 'FAILED'));

    await suspend(account.id, null);
    await waitFor(async () => (await account.call(getAccount)).status === 200);
    await waitFor(async () => (await account.dashboard.call(getAccount)).status === 200);
    expect((await account.dashboard.call(getMe)).body.data.suspensionReason).toBeNull();
    expect((await asSecond('GET', '/me')).status, 'signed out during the suspension').toBe(401);
    await waitFor(async () => (await page(live)).status === 200);
    expect((await page(live)).body).toBe(released.body);
    const [deployment] = (await account.call(listDeployments, { params: { id: building.id } })).body.data;
    expect(deployment?.status).toBe('FAILED');
    const { log } = (await account.call(getDeployment, { params: { id: deployment?.id ?? '' } })).body.data;
    expect(log).toContain(`Deployment failed: The application was suspended: The account is suspended: ${reason}`);
    await waitFor(async () => hook.received.length >= before + 5);
    const held = ['app.resumed', 'app.resumed', 'app.suspended', 'app.suspended', 'deployment.failed'];
    expect(typesOf(hook).slice(before).sort()).toEqual(held);
    // An attempt is recorded a moment after it arrives.
    await waitFor(async () => {
      const answer = await account.dashboard.call(listDeliveries, { params: { id: body.data.id } });
      return answer.body.data.every(({ status }) => status === 'DELIVERED');
    });
    for (const answer of await requestsOf(account, live.id)) expect(answer.status).not.toBe(403);
    await hook.stop();
  }, 240_000);

  test('a suspended application accepts no deployment, shows a page, keeps its data, and is served again when lifted', async () => {
    const [{ suspend }, account] = await Promise.all([operators(), newAccount()]);
    const made = await newApp(account, { repoUrl: 'https://git.localhost/hello-node.git' });
    const params = { id: made.id };
    await waitFor(async () => (await page(made)).status === 200);
    await suspend(account.id, 'Phishing.', made.id);
    const { data } = (await account.call(getApp, { params })).body;
    const suspensions = [{ cause: 'OPERATOR', reason: 'Phishing.', since: expect.any(String) }];
    expect(data).toEqual({ ...made, status: 'SUSPENDED', suspensions, updatedAt: expect.any(String) });
    for (const refused of [
      await account.call(createDeployment, { params }),
      await account.dashboard.call(createDeployment, { params }),
    ]) {
      expect(refused.error).toEqual({
        code: 'conflict',
        status: 409,
        message: 'This application is suspended: Phishing.',
      });
    }
    expect((await account.call(updateApp, { params, body: { branch: 'next' } })).status).toBe(200);
    await waitFor(async () => (await page(made)).isSuspended);
    await suspend(account.id, null, made.id);
    await waitFor(async () => (await page(made)).status === 200);
    expect((await account.call(getApp, { params })).body.data).toMatchObject({ status: 'RUNNING', branch: 'next' });
    await suspend(account.id, 'Phishing.', made.id);
    expect((await account.call(deleteApp, { params })).status).toBe(200);
  });

  test('the reconciler hands over what the stream lost, until the status is applied', async () => {
    const [{ loseChange }, account] = await Promise.all([operators(), newAccount()]);
    const made = await newApp(account);
    await waitFor(async () => (await page(made)).status === 200);
    const isPending = await loseChange(account.id, made.id);
    expect(await isPending()).toBe(true);
    await invokeFunction(local, 'schedule-reconcile');
    await waitFor(async () => !(await isPending()));
  });

  test('a plan that shrinks suspends the newest applications after seven days; an upgrade resumes them', async () => {
    const [run, account, hook] = await Promise.all([operators(), newAccount({ walletCents: 100_000 }), receiver()]);
    await account.call(createWebhook, { body: { url: hook.url, events: ['plan.limit_exceeded', 'app.suspended'] } });
    const [oldest, second, newest] = [await newApp(account), await newApp(account), await newApp(account)];
    await run.shrinkPlan(account.id, 1);
    const { planLimitExceeded } = await waitFor(async () => {
      const { data } = (await account.call(getAccount)).body;
      return data.planLimitExceeded && data;
    });
    expect(planLimitExceeded).toMatchObject({ appLimit: 1, applications: 3 });
    const days = (Date.parse(planLimitExceeded?.suspendsAt ?? '') - Date.now()) / (24 * 3600_000);
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
    expect((await account.call(createApp, { body: { name: 'One more' } })).error?.code).toBe('plan_limit');
    const statuses = async () => (await account.call(listApps)).body.data.map(({ status }) => status);
    expect(await statuses()).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);

    await run.endGracePeriod(account.id);
    await waitFor(async () => (await statuses()).join() === 'SUSPENDED,SUSPENDED,RUNNING');
    await waitFor(async () => (await page(newest)).isSuspended && (await page(second)).isSuspended);
    // Its address may be routed a moment after it was created.
    await waitFor(async () => (await page(oldest)).status === 200);
    expect((await account.call(getAccount)).body.data.planLimitExceeded?.suspendsAt).toBeNull();
    await waitFor(async () => hook.received.length === 3);
    expect(typesOf(hook).sort()).toEqual(['app.suspended', 'app.suspended', 'plan.limit_exceeded']);

    const body = { plan: 'app-3', billingCycle: 'MONTHLY' as const };
    expect((await account.dashboard.call(createSubscription, { body })).status).toBe(201);
    await waitFor(async () => (await statuses()).every((status) => status === 'RUNNING'));
    await waitFor(async () => (await page(newest)).status === 200 && (await page(second)).status === 200);
    await waitFor(async () => (await account.call(getAccount)).body.data.planLimitExceeded === undefined);
    await hook.stop();
  }, 180_000);
});
