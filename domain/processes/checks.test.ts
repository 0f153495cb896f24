import { expect, test } from 'vitest';
import { Deployment } from '../../table/entities/deployments.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { type FaultPlan, noFaults, simulation, toleratingFaults } from '../../test/simulation/simulation.ts';
import { listApps } from '../apps/apps.ts';
import { createDeployment } from '../deployments/create.ts';
import { getDeployment, listDeployments } from '../deployments/deployments.ts';
import { failDeployment, succeedDeployment } from '../deployments/finish.ts';
import type { Deps } from '../deps.ts';
import { createWebhook, listWebhooks } from '../webhooks/endpoints.ts';
import { listDeliveries } from '../webhooks/management.ts';
import { type CheckName, runChecks } from './checks.ts';
import { createApp } from './create-app.ts';

const MINUTE_MS = 60_000;
const PAGE = { limit: 50, offset: 0 };

/** An installation whose API answers by the domain's functions, and whose other addresses answer 200. */
function installation() {
  const { clock, memory, startProcess, steady } = simulation();
  const secrets = {
    seal: async (_: object, text: string) => ({ wrappedKey: 'k', iv: 'i', ciphertext: text }),
    unseal: async (_: object, { ciphertext }: { ciphertext: string }) => ciphertext,
  };
  const serving = { ...steady.deps, secrets, builds: { readLog: async () => undefined }, cells: async () => [] };
  const accountId = () => String(memory.items('ACCOUNT').at(-1)?.id);
  const answers: [string, RegExp, (id: string, body: never) => Promise<object>][] = [
    ['GET', /v1\/account$/, async () => ({ data: {} })],
    ['GET', /v1\/models$/, async () => ({ data: [] })],
    ['GET', /v1\/apps$/, () => listApps(serving, { accountId: accountId(), keyId: '' }, PAGE)],
    [
      'POST',
      /v1\/apps$/,
      (_, body: object) =>
        createApp(serving, { accountId: accountId(), keyId: '' }, { installCommand: 'npm ci', ...body } as never),
    ],
    ['GET', /apps\/(\w+)\/deployments/, (id) => listDeployments(serving, caller(), { id, ...PAGE })],
    ['POST', /apps\/(\w+)\/deployments/, (id) => createDeployment(serving, caller(), { id })],
    ['GET', /v1\/deployments\/(\w+)/, (id) => getDeployment(serving as never, caller(), { id })],
    ['GET', /v1\/webhooks$/, () => listWebhooks(serving, caller(), PAGE)],
    ['POST', /v1\/webhooks$/, (_, body) => createWebhook(serving, caller(), body)],
    ['GET', /webhooks\/(\w+)\/deliveries/, (id) => listDeliveries(serving, caller(), { id, ...PAGE } as never)],
  ];
  const caller = () => ({ accountId: accountId(), keyId: '' });
  const broken = new Set<string>();
  const send = async (url: string, { method = 'GET', body }: RequestInit = {}) => {
    if (broken.has(`${method} ${new URL(url).pathname}`))
      return Response.json({ error: { message: 'Try again.' } }, { status: 503 });
    const [, , answer] = answers.find(([verb, path]) => verb === method && path.test(url.split('?')[0] ?? '')) ?? [];
    if (!answer) return new Response('{}', { status: 200 });
    const id = answers.find(([verb, path]) => verb === method && path.test(url))?.[1].exec(url)?.[1] ?? '';
    return await answer(id, JSON.parse(String(body ?? '{}')) as never).then(
      (found) => Response.json(found),
      (error: Error) => Response.json({ error: { message: error.message } }, { status: 409 }),
    );
  };
  const needs = (deps: Deps, port: ReturnType<typeof startProcess>['port']) => ({
    ...deps,
    secrets,
    resolver: { resolve: async () => ({ alias: undefined, addresses: ['192.0.2.1'], apex: false }) },
    send: port('http', { send }).send,
    login: { issuer: 'https://login.example.com', clientId: 'c' },
    dnsName: 'example.com',
    repoUrl: 'https://github.com/you/page.git',
  });
  /** One minute's run. @returns the outcome of a check */
  const run = async (check: CheckName, faults: FaultPlan = noFaults) => {
    clock.now += MINUTE_MS;
    const { deps, port } = startProcess({ faults });
    const { results } = await runChecks(needs(deps, port));
    return results.find((each) => each.check === check)?.outcome;
  };
  /** Ends the deployment in progress. */
  const end = async (outcome: 'succeeds' | 'fails') => {
    const running = memory.items('DEPLOYMENT').map((item) => Deployment.parse(item));
    for (const { id: deploymentId, applicationId, finishedAt } of running) {
      if (finishedAt !== null) continue;
      const ids = { accountId: accountId(), applicationId, deploymentId };
      if (outcome === 'fails') await failDeployment(serving, ids, 'The build service was not available.');
      else {
        const release = { set: { release: '1' } };
        await serving.table.transact([change(Deployment, { ...caller(), id: deploymentId }, release)]);
        await succeedDeployment(serving, ids);
      }
    }
  };
  return { clock, memory, run, end, caller, serving, broken };
}

test.each([false, true])(
  'the check of deployments passes again after a failure, with a release to roll back to: %s',
  async (hasRelease) => {
    const { clock, run, end } = installation();
    await run('deployment');
    if (hasRelease) {
      await end('succeeds');
      await run('deployment');
    }
    await end('fails');
    expect(await run('deployment')).toBe('FAILED');
    if (!hasRelease) clock.now += 60 * MINUTE_MS;
    await run('deployment');
    await end('succeeds');
    expect(await run('deployment')).toBe('PASSED');
  },
);

test('a failing first build is repeated once an hour, and fails the check until it succeeds', async () => {
  const { clock, memory, run, end } = installation();
  await run('deployment');
  for (let minutes = 0; minutes < 130; minutes += 10) {
    await end('fails');
    clock.now += 9 * MINUTE_MS;
    expect(await run('deployment')).toBe('FAILED');
  }
  expect(memory.items('DEPLOYMENT')).toHaveLength(3);
});

test('the check of webhooks passes again after its endpoint was disabled', async () => {
  const { memory, run, end, caller, serving } = installation();
  await run('webhook');
  await end('succeeds');
  await run('webhook');
  const [{ id } = { id: '' }] = memory.items('WEBHOOK');
  const disabled = { set: { active: false, failureCount: 50, disabledAt: serving.now().toISOString() } };
  await serving.table.transact([change(Webhook, { ...caller(), id: String(id) }, disabled)]);
  expect([await run('webhook'), await run('webhook')]).toContain('FAILED');
  expect(memory.items('WEBHOOK')).toMatchObject([{ active: true }]);
  await run('webhook');
  expect(memory.items('EVENT').filter(({ type }) => type === 'ping')).toHaveLength(2);
});

test('the checks create no other application or endpoint while these cannot be listed', async () => {
  const { memory, run, end, broken } = installation();
  broken.add('GET /v1/apps');
  await expect(run('webhook')).rejects.toThrow('The applications of the checks cannot be listed: Try again.');
  expect(memory.items('APP')).toHaveLength(0);
  broken.clear();
  await run('webhook');
  await end('succeeds');
  await run('webhook');
  broken.add('GET /v1/webhooks');
  expect(await run('webhook')).toBe('FAILED');
  expect(memory.items('WEBHOOK')).toHaveLength(1);
});

test('the checks create one application and one endpoint, wherever a run crashes', async () => {
  for (let step = 1, isReached = true; isReached; step += 1) {
    isReached = false;
    const { memory, run, end } = installation();
    const crashing: FaultPlan = (call) => {
      if (call.step !== step || call.when === 'before') return undefined;
      isReached = true;
      return 'crash';
    };
    await toleratingFaults(() => run('webhook', crashing));
    await toleratingFaults(() => run('webhook'));
    await end('succeeds');
    await toleratingFaults(() => run('webhook', crashing));
    expect(await run('api'), `${step}`).toBe('PASSED');
    await run('webhook');
    const counts = [memory.items('APP').length, memory.items('WEBHOOK').length];
    expect(counts, `${step}`).toEqual([1, 1]);
  }
});
