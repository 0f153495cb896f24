import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  describeBeyond,
  isRefused,
  LIMIT_NAMES,
  type LimitName,
  LimitOverridesSchema,
  limitOf,
  limitRule,
  limitsOf,
  PLAN_TIERS,
} from '../../contract/limits/limits.ts';
import { Account, AccountRate } from '../../table/entities/accounts.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { simulation, withRandomDelays } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { beginDeployment } from '../deployments/begin.ts';
import { clearNextBuild } from '../deployments/build-queue.ts';
import { createDeployment } from '../deployments/create.ts';
import { admitBuild } from '../deployments/scheduler.ts';
import { assertWithin, COUNTERS, type CountedLimit, countToday, countTowards, MONTHLY, usageOf } from './limits.ts';
import { overrideLimits } from './overrides.ts';

test("a limit's description says that it refuses requests, or can be raised, only if that is true", () => {
  for (const name of LIMIT_NAMES) {
    const { error, isFixed = false } = limitRule(name);
    const said = describeBeyond(name);
    expect([name, said.startsWith('Requests are refused. ')]).toEqual([name, isRefused(error)]);
    expect([name, /support|larger plan/.test(said)]).toEqual([name, !isFixed]);
  }
  expect(describeBeyond('concurrentBuilds')).toBe(
    'The rest waits. Wait for a deployment to finish, or choose a larger plan.',
  );
});

/** The test of each limit that fails without its enforcement. */
const HTTP = {
  file: 'test/security/limits.test.ts',
  title: 'refuses the request beyond a limit with its documented error, also in a race',
};
const TESTS: Record<LimitName, { file: string; title: string }> = {
  requestsPerMinute: {
    file: HTTP.file,
    title: 'requests over all keys are limited, and a refused request counts on neither item',
  },
  apiKeys: HTTP,
  apiKeysPerDay: HTTP,
  applications: HTTP,
  concurrentRequests: {
    file: 'local/emulators/lambda/app-host.test.ts',
    title: 'refuses requests beyond the reserved concurrency with 429, and accepts them again afterwards',
  },
  concurrentBuilds: { file: HTTP.file, title: 'deployments beyond those at once wait in line, and each gets its turn' },
  buildMinutesPerMonth: HTTP,
  databases: HTTP,
  databaseStorageMib: HTTP,
  databaseUnitsPerMonth: HTTP,
  customDomainsPerDay: HTTP,
  certificatesPerDay: {
    file: 'domain/custom-domains/verify.test.ts',
    title: 'verifies a claim only while certificates remain for the day',
  },
  unpaidDomainOrders: HTTP,
  concurrentAiCalls: HTTP,
  concurrentAiCallsPerKey: {
    file: 'domain/ai/key-calls.test.ts',
    title: 'refuses the call beyond the limit of a key with 429, and frees the slots of crashed calls',
  },
  webhookEndpoints: HTTP,
  webhookResendsPerDay: HTTP,
  topUpsPerDay: HTTP,
  exportsPerDay: {
    file: 'domain/processes/account-data/exports.test.ts',
    title: 'allows one export at a time and three a day, and creates links only to available archives',
  },
  invitationsPerDay: {
    file: 'domain/processes/mail/invitation.test.ts',
    title: 'an account invites at most so many people in a day, whatever it revokes',
  },
  buildLogKib: {
    file: 'builder/log/log.test.ts',
    title: 'keeps the beginning and end of a long log within 4 MiB and marks the cut',
  },
  runtimeLogKibPerMinute: {
    file: 'builder/app-runtime/output-limit.test.ts',
    title: 'output beyond the limit of a minute is dropped, and a line says so',
  },
};

test.each(LIMIT_NAMES)('%s is enforced by a test', (name) => {
  const { file, title } = TESTS[name];
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(title);
  if (TESTS[name] === HTTP) expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^  ${name}: \\{`, 'm'));
});

test('a larger plan never has a lower limit, and the plan decides the applications', () => {
  const tiers = PLAN_TIERS.map((appLimit) => limitsOf({ plan: { appLimit } }));
  for (const [tier, limits] of tiers.entries()) {
    const before = tiers[tier - 1];
    for (const name of LIMIT_NAMES) expect(limits[name]).toBeGreaterThanOrEqual(before?.[name] ?? 0);
  }
  expect(limitOf({ plan: { appLimit: 7 } }, 'applications')).toBe(7);
  expect(limitOf({ plan: { appLimit: 9 } }, 'databases')).toBe(limitOf({ plan: { appLimit: 3 } }, 'databases'));
  expect(limitOf({ plan: { appLimit: 9 }, limits: { databases: 99 } }, 'databases')).toBe(99);
});

/** Numbers of applications of plans: the first and the last of each tier. */
const PLAN_SIZES = PLAN_TIERS.flatMap((minimum, tier) => [minimum, (PLAN_TIERS[tier + 1] ?? minimum + 2) - 1]);
/** Overrides of a limit: none, which is usual, and small ones. */
const OVERRIDES = [undefined, 0, 1, 60];
const counted = Object.keys(COUNTERS) as CountedLimit[];

test.each(counted)('the condition of the write allows exactly the limit of the account: %s', async (name) => {
  const { deps } = simulation({ startAt: Date.parse('2026-01-01T00:00:00Z') }).steady;
  const { error } = limitRule(name);
  // The scheduler never shows its own.
  const code = isRefused(error) ? error : 'conflict';
  // The number of applications is always there.
  const unused = name === 'applications' ? [] : [undefined];
  for (const appLimit of PLAN_SIZES)
    for (const override of OVERRIDES) {
      const plan = { slug: 'p', name: 'P', appLimit };
      const limits = override === undefined ? {} : { limits: { [name]: override } };
      const limit = limitOf({ plan, ...limits }, name);
      for (const used of [...unused, limit - 1, limit, limit + 1].filter((count) => count !== -1)) {
        const id = `acc_${appLimit}_${override}_${used}`;
        const counter = used === undefined ? {} : { [COUNTERS[name]]: used };
        await deps.table.transact([newSimulatedAccount(id, { plan, ...limits, ...counter })]);
        const counting = deps.table.transact([countTowards(deps, id, [name])]);
        if ((used ?? 0) >= limit) {
          await expect(counting).rejects.toMatchObject({ code, message: expect.stringContaining(`(${name})`) });
          continue;
        }
        await counting;
        const after = await deps.table.get(Account, { id });
        expect(after && usageOf(after, name, deps.now())).toBe((used ?? 0) + 1);
      }
    }
});

const monthly = Object.keys(MONTHLY) as (keyof typeof MONTHLY)[];

test.each(monthly)('the condition of a monthly limit allows exactly what the month leaves: %s', async (name) => {
  const { deps } = simulation({ startAt: Date.parse('2026-02-01T00:00:00Z') }).steady;
  for (const appLimit of PLAN_SIZES)
    for (const override of OVERRIDES) {
      const plan = { slug: 'p', name: 'P', appLimit };
      const limits = override === undefined ? {} : { limits: { [name]: override } };
      const limit = limitOf({ plan, ...limits }, name);
      for (const month of [undefined, '2026-01', '2026-02'])
        for (const used of month ? [limit - 1, limit, limit + 1].filter((count) => count !== -1) : [0]) {
          const id = `acc_${appLimit}_${override}_${month}_${used}`;
          const use = month ? { [MONTHLY[name].month]: month, [MONTHLY[name].counter]: used } : {};
          await deps.table.transact([newSimulatedAccount(id, { plan, ...limits, ...use })]);
          const checking = deps.table.transact([assertWithin(deps, id, [name])]);
          if ((month === '2026-02' ? used : 0) < limit) await checking;
          else await expect(checking).rejects.toMatchObject({ code: 'plan_limit' });
        }
    }
});

test('a daily limit is counted with what it limits, and begins again the next day', async () => {
  const { steady, clock } = simulation({ startAt: Date.parse('2026-01-01T23:59:00Z') });
  const { deps } = steady;
  const account = { id: 'acc_1', plan: { appLimit: 1 }, limits: { webhookResendsPerDay: 5 } };
  const resend = (count: number) => deps.table.transact([countToday(deps, account, 'webhookResendsPerDay', count)]);
  await resend(3);
  await expect(resend(3)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 60 });
  await resend(2);
  await expect(resend(1)).rejects.toMatchObject({ code: 'rate_limited' });
  clock.now += 60_000;
  await resend(5);
  expect(() => countToday(deps, account, 'webhookResendsPerDay', 6)).toThrow('is reached: 5 (webhookResendsPerDay)');
});

const asked = (id: string) => ({ id }) as Parameters<typeof createDeployment>[2];
/** Providers of a build that leave no trace. */
const providers = {
  builds: { writeJob: async () => '' },
  buildAccess: { grant: async () => ({ readJob: { url: '' }, access: {} }) },
} as unknown as Pick<Parameters<typeof beginDeployment>[0], 'builds' | 'buildAccess' | 'databasePasswords' | 'secrets'>;

test('build minutes are counted when a deployment ends, rounded up per build, until the month is over', async () => {
  const run = await deploymentSimulation({}, { limits: { buildMinutesPerMonth: 5 } });
  const { deps, caller, ids, clock } = run;
  const deploy = async () => (await createDeployment(deps, caller, asked(ids.applicationId))).data.id;
  const build = async (seconds: number, end: typeof run.succeed) => {
    const deploymentId = await deploy();
    await admitBuild(deps, ids.accountId);
    await beginDeployment(
      { ...deps, ...providers, ...inEveryCell({ functionArnPrefix: '' }) },
      { ...ids, deploymentId },
    );
    clock.now += seconds * 1000;
    await end(deploymentId);
    await clearNextBuild(deps, deploymentId);
  };
  await build(61, run.succeed);
  expect(await run.account()).toMatchObject({ buildMonth: '2026-01', buildMinutes: 2, buildCount: 0 });
  // A failed build counts too, and the last build may take longer than the remaining minutes.
  await build(600, run.fail);
  expect(await run.account()).toMatchObject({ buildMinutes: 12, buildCount: 0 });
  await expect(deploy()).rejects.toMatchObject({
    code: 'plan_limit',
    message: expect.stringContaining('is reached: 5 '),
  });
  clock.now = Date.parse('2026-02-01T00:00:00Z');
  await build(1, run.succeed);
  expect(await run.account()).toMatchObject({ buildMonth: '2026-02', buildMinutes: 1 });
});

test('a deployment that ends twice releases one slot', async () => {
  const run = await deploymentSimulation({}, { buildCount: 1 });
  const { data } = await createDeployment(run.deps, run.caller, asked(run.ids.applicationId));
  await admitBuild(run.deps, run.ids.accountId);
  expect((await run.account())?.buildCount).toBe(2);
  await Promise.all([run.succeed(data.id), run.fail(data.id)]);
  await run.fail(data.id);
  expect((await run.account())?.buildCount).toBe(1);
});

test("an operator overrides limits one by one; null restores the plan's number", async () => {
  const { steady } = simulation({ startAt: 0 });
  const { deps } = steady;
  const of = { accountId: 'acc_1' };
  await deps.table.transact([newSimulatedAccount(of.accountId)]);
  expect(await overrideLimits(deps, of.accountId, { apiKeys: 80, requestsPerMinute: 5000 })).toEqual({
    apiKeys: 80,
    requestsPerMinute: 5000,
  });
  expect(await overrideLimits(deps, of.accountId, { concurrentAiCalls: 0, apiKeys: null })).toEqual({
    requestsPerMinute: 5000,
    concurrentAiCalls: 0,
  });
  expect((await deps.table.get(AccountRate, of))?.limit).toBe(5000);
  expect(await deps.table.get(AiAccount, of)).toMatchObject({ callLimit: 0, balanceMicroRand: 0 });
  await overrideLimits(deps, of.accountId, { concurrentAiCalls: null, requestsPerMinute: null });
  expect(await deps.table.get(AiAccount, of)).not.toHaveProperty('callLimit');
  expect(await deps.table.get(AccountRate, of)).not.toHaveProperty('limit');
  const account = await deps.table.get(Account, { id: of.accountId });
  expect(account && limitsOf(account)).toEqual(limitsOf({ plan: { appLimit: 10 } }));
  // An override of a deleted account is an error, and does not create the account.
  await expect(overrideLimits(deps, 'acc_2', { apiKeys: 1 })).rejects.toMatchObject({ code: 'not_found' });
});

test('limits that operators set concurrently are all kept', async () => {
  const { deps } = simulation({ startAt: 0, through: withRandomDelays }).steady;
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  const given = [{ apiKeys: 80 }, { requestsPerMinute: 5000 }, { webhookEndpoints: 40 }, { databases: 30 }];
  await Promise.all(given.map((limits) => overrideLimits(deps, 'acc_1', limits)));
  expect((await deps.table.get(Account, { id: 'acc_1' }))?.limits).toEqual(Object.assign({}, ...given));
});

test.each([
  { apiKeys: -1 },
  { apiKeys: 1.5 },
  { apiKeys: '5' },
  { requestsPerMinute: 999 },
  { unknown: 1 },
  { buildLogKib: 1 },
])('refuses the override %j', (given) => {
  expect(z.safeParse(LimitOverridesSchema(), given).success).toBe(false);
});

test('of concurrent requests at a limit none succeeds, and exactly one after capacity is freed', async () => {
  const { steady } = simulation({ startAt: 0 });
  const { deps } = steady;
  await deps.table.transact([newSimulatedAccount('acc_1', { keyCount: 50 })]);
  const race = Array.from({ length: 5 }, () => deps.table.transact([countTowards(deps, 'acc_1', ['apiKeys'])]));
  const settled = await Promise.allSettled(race);
  expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
  await deps.table.transact([change(Account, { id: 'acc_1' }, { add: { keyCount: -1 } })]);
  const again = await Promise.allSettled(
    Array.from({ length: 5 }, () => deps.table.transact([countTowards(deps, 'acc_1', ['apiKeys'])])),
  );
  expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
