import { describe, expect, test } from 'vitest';
import { edgeTenantSimulation, HOST, KEYS } from '../../test/simulation/custom-domains.ts';
import { crashAtStep, SimulatedCrash } from '../../test/simulation/simulation.ts';
import { incidentOfTenant } from '../processes/incidents.ts';
import { sweep } from '../sweep/sweep.ts';
import { closeTenant, requestCheck, tenantQueue } from './reconciliation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
type Simulated = Awaited<ReturnType<typeof edgeTenantSimulation>>;
const isOpen: Parameters<Simulated['checkUntil']>[0] = (tenant) => tenant?.status === 'ISSUED';
const isGone: Parameters<Simulated['checkUntil']>[0] = (tenant) => tenant === undefined;

test('creates a tenant within minutes; deletes it with its certificate, and only then releases the host name', async () => {
  const { deps, edge, checkUntil, read, routes, claims, clock } = await edgeTenantSimulation();
  const began = clock.now;
  await checkUntil(isOpen);
  expect(clock.now - began).toBeLessThan(10 * MINUTE);
  expect(edge.tenants).toMatchObject([{ name: `door-${KEYS.token}`, host: HOST, enabled: true }]);
  expect(await closeTenant(deps, KEYS)).toBe(true);
  expect(await closeTenant(deps, KEYS)).toBe(true);
  await checkUntil(() => edge.tenants.length === 0);
  expect([claims(), (await read())?.status]).toEqual([1, 'CLOSING']);
  await checkUntil(isGone);
  expect([edge.tenants.length, routes.size, claims()]).toEqual([0, 0, 0]);
  expect(await closeTenant(deps, KEYS)).toBe(false);
});

test('a domain whose verification the stream has lost is routed before it serves', async () => {
  const { checkUntil, routes } = await edgeTenantSimulation();
  routes.clear();
  await checkUntil(isOpen);
  expect([...routes]).toEqual([HOST]);
});

describe.each(['before', 'after'] as const)('a process that crashes %s any step of any check', (when) => {
  test('still ends in one tenant and one certificate', async () => {
    // The number of checks before the crash, and the step of the check that crashes.
    for (let life = 0; life < 8; life += 1) {
      for (let step = 1, crashed = true; crashed; step += 1) {
        const { checkUntil, check, edge } = await edgeTenantSimulation();
        let checks = 0;
        await checkUntil(() => checks++ === life);
        crashed = await check(crashAtStep(step, when)).then(
          () => false,
          (error) => error instanceof SimulatedCrash,
        );
        expect(await checkUntil(isOpen), `life ${life}, step ${step}`).toBeLessThan(200);
        expect([edge.tenants.length, edge.asked]).toEqual([1, 1]);
      }
    }
  });

  test('still ends in a deletion that leaves nothing', async () => {
    for (const opened of [true, false]) {
      for (let life = 0; life < 8; life += 1) {
        for (let step = 1, crashed = true; crashed; step += 1) {
          const { deps, checkUntil, check, edge, routes, claims } = await edgeTenantSimulation();
          if (opened) await checkUntil(isOpen);
          await closeTenant(deps, KEYS);
          let checks = 0;
          await checkUntil((tenant) => tenant === undefined || checks++ === life);
          crashed = await check(crashAtStep(step, when)).then(
            () => false,
            (error) => error instanceof SimulatedCrash,
          );
          expect(await checkUntil(isGone), `life ${life}, step ${step}`).toBeLessThan(200);
          expect([edge.tenants.length, routes.size, claims()]).toEqual([0, 0, 0]);
        }
      }
    }
  });
});

test('a tenant that is deleted in the middle of any check leaves nothing', async () => {
  for (let life = 0; life < 4; life += 1) {
    for (let step = 1, reached = true; reached; step += 1) {
      const { deps, checkUntil, check, edge, claims } = await edgeTenantSimulation();
      let checks = 0;
      await checkUntil(() => checks++ === life);
      reached = false;
      await check(async (call) => {
        if (call.when === 'after' || call.step !== step) return undefined;
        reached = true;
        await closeTenant(deps, KEYS);
        await checkUntil(isGone, 30_000);
        return undefined;
      });
      if (!reached) break;
      await checkUntil(isGone);
      expect([edge.tenants.length, claims()], `life ${life}, step ${step}`).toEqual([0, 0]);
    }
  }
});

test('two concurrent checks create one tenant', async () => {
  for (let step = 1, reached = true; reached; step += 1) {
    const { checkUntil, check, edge } = await edgeTenantSimulation();
    reached = false;
    await check(async (call) => {
      if (call.when === 'after' || call.step !== step) return undefined;
      reached = true;
      await check();
      return undefined;
    });
    await checkUntil(isOpen);
    expect([edge.tenants.length, edge.asked], `step ${step}`).toEqual([1, 1]);
  }
});

test('a check that the owner requests during a creation does not delay it by the lease', async () => {
  for (let step = 1, reached = true; reached; step += 1) {
    const { deps, check, read } = await edgeTenantSimulation();
    reached = false;
    await check(async (call) => {
      if (call.when === 'after' || call.step !== step) return undefined;
      reached = true;
      const tenant = await read();
      if (tenant) await requestCheck(deps, tenant);
      return undefined;
    });
    expect((await read())?.createLeaseUntil, `step ${step}`).toBeUndefined();
  }
});

describe('a domain that does not point here', () => {
  test('is checked at growing intervals, and asks CloudFront for nothing while it has no target', async () => {
    const { checkUntil, dnsTarget, edge, clock, read } = await edgeTenantSimulation();
    edge.pointsHere = false;
    dnsTarget.current = () => ({ alias: undefined, addresses: [], apex: false });
    const began = clock.now;
    let asked = 0;
    Object.defineProperty(edge, 'pointsHere', { get: () => ++asked < 0 });
    const inDays = async (days: number) => {
      let checks = 0;
      await checkUntil(() => {
        checks += 1;
        return clock.now - began > days * DAY;
      }, 30 * DAY);
      return checks;
    };
    expect(await inDays(3)).toBeLessThan(3 * 24 + 20);
    expect(await read()).toMatchObject({
      status: 'WAITING',
      problem: expect.stringContaining('does not point anywhere yet'),
    });
    expect(asked).toBe(0);
  });

  test('names where it points, and what can be done at the zone apex', async () => {
    const { check, dnsTarget, edge, read } = await edgeTenantSimulation();
    edge.pointsHere = false;
    const problem = async () => {
      await check();
      return (await read())?.problem;
    };
    dnsTarget.current = () => ({ alias: 'old.example.net', addresses: [], apex: false });
    expect(await problem()).toMatch(/points to old\.example\.net\. It must point to d111/);
    dnsTarget.current = () => ({ alias: undefined, addresses: ['192.0.2.1'], apex: true });
    expect(await problem()).toMatch(/points to 192\.0\.2\.1\..*ALIAS or ANAME.*www\.shop/);
    expect(await read()).toMatchObject({ apex: true, status: 'WAITING' });
    dnsTarget.current = () => {
      throw new Error('SERVFAIL');
    };
    expect(await problem()).toMatch(/do not answer/);
  });

  test('is served after the next check once it points here, also when it resolves to addresses only', async () => {
    const { checkUntil, check, dnsTarget, edge, read } = await edgeTenantSimulation();
    edge.pointsHere = false;
    await check();
    expect(await read()).toMatchObject({
      status: 'WAITING',
      problem: expect.stringContaining('has not reached all name servers'),
    });
    edge.pointsHere = true;
    dnsTarget.current = () => ({ alias: undefined, addresses: ['198.51.100.7'], apex: true });
    expect(await checkUntil(isOpen)).toBeLessThan(60);
    expect(await read()).toMatchObject({ problem: null, apex: true });
  });
});

test('reports a domain that another CloudFront account holds, and retries when it is free', async () => {
  const { check, checkUntil, edge, read } = await edgeTenantSimulation();
  edge.taken = true;
  expect(await check()).toMatchObject({ done: true });
  expect(await read()).toMatchObject({
    status: 'FAILED',
    problem: expect.stringContaining('Another Amazon CloudFront distribution'),
  });
  edge.taken = false;
  expect(await checkUntil(isOpen)).toBeLessThan(60);
});

test('a name too long for a certificate is reported to its owner, and no certificate is requested', async () => {
  const host = `${'a'.repeat(49)}.shop.mine.co.za`;
  const { deps, check, checkUntil, read, edge, claims } = await edgeTenantSimulation(host);
  for (let checks = 0; checks < 3; checks += 1) expect(await check()).toMatchObject({ done: true });
  expect(await read()).toMatchObject({
    status: 'FAILED',
    problem: expect.stringContaining('longer than 64 characters'),
  });
  expect(edge.asked).toBe(0);
  expect(await closeTenant(deps, { ...KEYS, host })).toBe(true);
  await checkUntil(isGone);
  expect(claims()).toBe(0);
  const longest = await edgeTenantSimulation(host.slice(1));
  expect(await longest.checkUntil(isOpen)).toBeLessThan(60);
});

test.each(['FAILED', 'TIMED_OUT', 'ENDED'] as const)(
  'a certificate that is %s is requested again, rarely, and the owner sees why',
  async (status) => {
    const { checkUntil, edge, read, clock } = await edgeTenantSimulation();
    edge.certificate = status;
    await checkUntil((tenant) => tenant?.status === 'FAILED');
    expect(edge.asked).toBe(1);
    expect((await read())?.problem).toMatch(/CAA/);
    const began = clock.now;
    const troubledSince = (await read())?.troubledSince;
    await checkUntil(() => clock.now - began > 3 * DAY, 30 * DAY);
    // However often another certificate fails, the account is notified once.
    expect(troubledSince).toBeDefined();
    expect((await read())?.troubledSince).toBe(troubledSince);
    // After 1, 2, 4, … hours, although each certificate fails within minutes.
    expect(edge.asked).toBeGreaterThan(5);
    expect(edge.asked).toBeLessThan(9);
    edge.certificate = 'ISSUED';
    await checkUntil(isOpen, 14 * DAY);
    const tenant = await read();
    expect(tenant).toMatchObject({ status: 'ISSUED', problem: null });
    expect(tenant?.troubledSince).toBeUndefined();
  },
);

test('the failures before a certificate was issued do not delay its replacement when it ends', async () => {
  const { checkUntil, edge, clock, read } = await edgeTenantSimulation();
  edge.certificate = 'FAILED';
  await checkUntil(() => edge.asked > 6, 30 * DAY);
  edge.certificate = 'ISSUED';
  await checkUntil(isOpen, 14 * DAY);
  edge.certificate = 'ENDED';
  await checkUntil((tenant) => tenant?.status === 'FAILED', 2 * DAY);
  expect(Date.parse((await read())?.dueAt ?? '') - clock.now).toBe(HOUR);
});

test('a certificate that is deleted in ACM is requested again, and the owner sees why', async () => {
  const { checkUntil, edge, read, clock } = await edgeTenantSimulation();
  edge.certificate = 'PENDING';
  await checkUntil((tenant) => tenant?.status === 'PENDING');
  edge.deleteUnusedCertificates();
  edge.certificate = 'ISSUED';
  await checkUntil((tenant) => tenant?.status === 'FAILED', HOUR);
  expect(await read()).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('was deleted') });
  const deleted = clock.now;
  await checkUntil(isOpen, DAY);
  expect(clock.now - deleted).toBeLessThan(2 * HOUR);
  expect(await read()).toMatchObject({ problem: null });
  expect(edge.asked).toBe(2);
});

test('checks an active tenant once a day and reports a certificate that has ended', async () => {
  const { checkUntil, edge, clock, read } = await edgeTenantSimulation();
  await checkUntil(isOpen);
  const opened = clock.now;
  let checks = 0;
  await checkUntil(() => {
    checks += 1;
    return clock.now - opened > 9.5 * DAY;
  }, 11 * DAY);
  expect(checks).toBeLessThanOrEqual(12);
  edge.certificate = 'ENDED';
  await checkUntil((tenant) => tenant?.status === 'FAILED', 2 * DAY);
  expect((await read())?.problem).toMatch(/expired/);
});

test('reports within a day that the domain of an active tenant points elsewhere, until it points here again', async () => {
  const { checkUntil, dnsTarget, read } = await edgeTenantSimulation();
  await checkUntil(isOpen);
  const here = dnsTarget.current;
  dnsTarget.current = () => ({ alias: 'old-host.example.net', addresses: [], apex: false });
  await checkUntil((tenant) => tenant?.problem?.includes('old-host.example.net') === true, 2 * DAY);
  const left = await read();
  if (!left) throw new Error('no tenant');
  expect(left.status).toBe('ISSUED');
  expect(incidentOfTenant(left)).toMatchObject([
    { kind: 'certificate-problem', title: expect.stringContaining('cannot be renewed'), at: left.troubledSince },
  ]);
  dnsTarget.current = here;
  await checkUntil((tenant) => tenant?.problem === null, 2 * DAY);
  expect((await read())?.troubledSince).toBeUndefined();
});

test('the owner can request a check, at most one in a cooldown', async () => {
  const { deps, check, dnsTarget, read, clock } = await edgeTenantSimulation();
  dnsTarget.current = () => ({ alias: undefined, addresses: [], apex: false });
  await check();
  const ask = async () => {
    const tenant = await read();
    if (!tenant) throw new Error('no tenant');
    return (await requestCheck(deps, tenant)).askedAt;
  };
  const first = await ask();
  expect(first).toBe(new Date(clock.now).toISOString());
  clock.now += 2000;
  expect(await ask()).toBe(first);
  clock.now += MINUTE;
  expect(await ask()).toBe(new Date(clock.now).toISOString());
});

test('limits requested checks to one an hour, later to one a day, where each would request another certificate', async () => {
  const wish = async ({ deps, read, clock }: Simulated) => {
    const ask = async () => {
      const tenant = await read();
      if (!tenant) throw new Error('no tenant');
      return (await requestCheck(deps, tenant)).askedAt;
    };
    await ask();
    clock.now += MINUTE;
    return (await ask()) === new Date(clock.now).toISOString();
  };
  const taken = await edgeTenantSimulation();
  taken.edge.taken = true;
  await taken.check();
  expect(await wish(taken)).toBe(true);
  const refused = await edgeTenantSimulation();
  refused.edge.certificate = 'FAILED';
  await refused.checkUntil((tenant) => tenant?.status === 'FAILED');
  expect(await wish(refused)).toBe(false);
  refused.clock.now += HOUR;
  expect(await wish(refused)).toBe(false);
  expect((await refused.read())?.certificates).toBe(1);
  let reissues = 0;
  for (let hours = 0; hours < 30 * 24; hours += 1) {
    refused.clock.now += HOUR;
    const tenant = await refused.read();
    if (!tenant) throw new Error('no tenant');
    const asked = (await requestCheck(refused.deps, tenant)).askedAt;
    if (asked !== new Date(refused.clock.now).toISOString()) continue;
    await refused.checkUntil((checked) => checked?.status === 'PENDING', MINUTE);
    await refused.checkUntil((checked) => checked?.status === 'FAILED', HOUR);
    reissues += 1;
  }
  expect(reissues).toBeGreaterThan(20);
  expect(reissues).toBeLessThan(40);
});

test('tells the owner what a pending certificate waits for when the domain points elsewhere', async () => {
  const { checkUntil, edge, dnsTarget, read, clock } = await edgeTenantSimulation();
  edge.certificate = 'PENDING';
  const began = clock.now;
  await checkUntil(() => clock.now - began > 8 * MINUTE);
  expect(await read()).toMatchObject({ status: 'PENDING', problem: null });
  dnsTarget.current = () => ({ alias: 'old.example.net', addresses: [], apex: false });
  await checkUntil((tenant) => Boolean(tenant?.problem), HOUR);
  expect((await read())?.problem).toMatch(/points to old\.example\.net/);
  dnsTarget.current = () => ({ alias: undefined, addresses: ['198.51.100.7'], apex: true });
  await checkUntil((tenant) => tenant?.problem === null, 2 * HOUR);
  edge.certificate = 'ISSUED';
  await checkUntil(isOpen);
});

test('the reconciler restarts a tenant whose execution died, once for each due time', async () => {
  const { deps, clock, check, edge, checkUntil } = await edgeTenantSimulation();
  const started: string[] = [];
  const tenantExecutions = {
    start: async (name: string) => void started.push(name),
    status: async () => 'MISSING' as const,
    stop: async () => undefined,
  };
  const reconcile = async () => (await sweep({ ...deps, tenantExecutions }, tenantQueue)).done;
  expect(await reconcile()).toBe(0);
  await check();
  expect(edge.tenants).toHaveLength(1);
  for (let minute = 0; minute < 12; minute += 1) {
    clock.now += MINUTE;
    await reconcile();
  }
  expect(started).toHaveLength(2);
  expect(new Set(started).size).toBe(2);
  await checkUntil(isOpen);
  expect(await reconcile()).toBe(0);
});
