import { describe, expect, test } from 'vitest';
import { doorWorld, HOST, KEYS } from '../test/simulation/custom-domains.ts';
import { askForLook, closeDoor, reconcileDoors } from './door-keeping.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
type World = Awaited<ReturnType<typeof doorWorld>>;
const isOpen: Parameters<World['goOn']>[0] = (door) => door?.status === 'ISSUED';
const isGone: Parameters<World['goOn']>[0] = (door) => door === undefined;

test('a door is opened within minutes, closed with all that it had, and only then is the host free', async () => {
  const { deps, edge, goOn, read, routes, claims, clock } = await doorWorld();
  const began = clock.now;
  await goOn(isOpen);
  expect(clock.now - began).toBeLessThan(10 * MINUTE);
  expect(edge.tenants).toMatchObject([{ name: `door-${KEYS.token}`, host: HOST, enabled: true }]);
  expect(await closeDoor(deps, KEYS)).toBe(true);
  expect(await closeDoor(deps, KEYS)).toBe(true);
  await goOn(() => edge.tenants.length === 0);
  expect([claims(), (await read())?.status]).toEqual([1, 'CLOSING']);
  await goOn(isGone);
  expect([edge.tenants.length, routes.size, claims()]).toEqual([0, 0, 0]);
  expect(await closeDoor(deps, KEYS)).toBe(false);
});

/** Ends a look at its n-th step outside of itself. */
class Killed extends Error {}
const killedAt = (step: number, when: 'before' | 'after') => {
  let at = 0;
  return (now: 'before' | 'after') => {
    if (now === when) at += 1;
    if (now === when && at === step) throw new Killed();
  };
};

describe.each(['before', 'after'] as const)('killed %s any step of any look', (when) => {
  test('a door opens all the same, with one tenant and one certificate', async () => {
    // Where in its life it is killed, and at which step of that look.
    for (let life = 0; life < 8; life += 1) {
      for (let step = 1, killed = true; killed; step += 1) {
        const { goOn, look, edge } = await doorWorld();
        let looks = 0;
        await goOn(() => looks++ === life);
        killed = await look(killedAt(step, when)).then(
          () => false,
          (error) => error instanceof Killed,
        );
        expect(await goOn(isOpen), `life ${life}, step ${step}`).toBeLessThan(200);
        expect([edge.tenants.length, edge.asked]).toEqual([1, 1]);
      }
    }
  });

  test('a door closes all the same, and leaves nothing', async () => {
    for (const opened of [true, false]) {
      for (let life = 0; life < 8; life += 1) {
        for (let step = 1, killed = true; killed; step += 1) {
          const { deps, goOn, look, edge, routes, claims } = await doorWorld();
          if (opened) await goOn(isOpen);
          await closeDoor(deps, KEYS);
          let looks = 0;
          await goOn((door) => door === undefined || looks++ === life);
          killed = await look(killedAt(step, when)).then(
            () => false,
            (error) => error instanceof Killed,
          );
          expect(await goOn(isGone), `life ${life}, step ${step}`).toBeLessThan(200);
          expect([edge.tenants.length, routes.size, claims()]).toEqual([0, 0, 0]);
        }
      }
    }
  });
});

test('a door that is closed in the middle of any look, for as long as a look may take, leaves nothing', async () => {
  for (let life = 0; life < 4; life += 1) {
    for (let step = 1, reached = true; reached; step += 1) {
      const { deps, goOn, look, edge, claims } = await doorWorld();
      let looks = 0;
      await goOn(() => looks++ === life);
      let at = 0;
      reached = false;
      await look(async (when) => {
        if (when === 'before') at += 1;
        if (when !== 'before' || at !== step || reached) return;
        reached = true;
        await closeDoor(deps, KEYS);
        await goOn(isGone, 30_000);
      });
      if (!reached) break;
      await goOn(isGone);
      expect([edge.tenants.length, claims()], `life ${life}, step ${step}`).toEqual([0, 0]);
    }
  }
});

test('two looks at once make one tenant', async () => {
  for (let step = 1, reached = true; reached; step += 1) {
    const { goOn, look, edge } = await doorWorld();
    let at = 0;
    reached = false;
    await look(async (when) => {
      if (when === 'before') at += 1;
      if (when !== 'before' || at !== step || reached) return;
      reached = true;
      await look();
    });
    await goOn(isOpen);
    expect([edge.tenants.length, edge.asked], `step ${step}`).toEqual([1, 1]);
  }
});

describe('a domain that does not lead here', () => {
  test('is looked at again, more and more rarely, and asks CloudFront for nothing while it leads nowhere', async () => {
    const { goOn, lead, edge, clock, read } = await doorWorld();
    edge.leadsHere = false;
    lead.say = () => ({ alias: undefined, addresses: [], apex: false });
    const began = clock.now;
    let asked = 0;
    Object.defineProperty(edge, 'leadsHere', { get: () => ++asked < 0 });
    const inDays = async (days: number) => {
      let looks = 0;
      await goOn(() => {
        looks += 1;
        return clock.now - began > days * DAY;
      }, 30 * DAY);
      return looks;
    };
    expect(await inDays(3)).toBeLessThan(3 * 24 + 20);
    expect(await read()).toMatchObject({ status: 'WAITING', problem: expect.stringContaining('leads nowhere yet') });
    expect(asked).toBe(0);
  });

  test('is told where it leads, and what can be done at the top of a zone', async () => {
    const { look, lead, edge, read } = await doorWorld();
    edge.leadsHere = false;
    const problem = async () => {
      await look();
      return (await read())?.problem;
    };
    lead.say = () => ({ alias: 'old.example.net', addresses: [], apex: false });
    expect(await problem()).toMatch(/leads to old\.example\.net\. It has to lead to d111/);
    lead.say = () => ({ alias: undefined, addresses: ['192.0.2.1'], apex: true });
    expect(await problem()).toMatch(/leads to 192\.0\.2\.1\..*ALIAS or ANAME.*www\.shop/);
    expect(await read()).toMatchObject({ apex: true, status: 'WAITING' });
    lead.say = () => {
      throw new Error('SERVFAIL');
    };
    expect(await problem()).toMatch(/do not answer/);
  });

  test('has its door opened by the look after it leads here, also where that shows as addresses only', async () => {
    const { goOn, look, lead, edge, read } = await doorWorld();
    edge.leadsHere = false;
    await look();
    expect(await read()).toMatchObject({ status: 'WAITING', problem: expect.stringContaining('does not see that') });
    edge.leadsHere = true;
    lead.say = () => ({ alias: undefined, addresses: ['198.51.100.7'], apex: true });
    expect(await goOn(isOpen)).toBeLessThan(60);
    expect(await read()).toMatchObject({ problem: null, apex: true });
  });
});

test('a domain that somebody else has at CloudFront is said to be so, and tried again when it is free', async () => {
  const { look, goOn, edge, read } = await doorWorld();
  edge.taken = true;
  expect(await look()).toMatchObject({ done: true });
  expect(await read()).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('answers for') });
  edge.taken = false;
  expect(await goOn(isOpen)).toBeLessThan(60);
});

test.each(['FAILED', 'TIMED_OUT', 'ENDED'] as const)(
  'a certificate that is %s is asked for again, rarely, and never while nobody was told',
  async (status) => {
    const { goOn, edge, read, clock } = await doorWorld();
    edge.certificate = status;
    await goOn((door) => door?.status === 'FAILED');
    expect(edge.asked).toBe(1);
    expect((await read())?.problem).toMatch(/CAA/);
    const began = clock.now;
    await goOn(() => clock.now - began > 3 * DAY, 30 * DAY);
    expect(edge.asked).toBeGreaterThan(2);
    expect(edge.asked).toBeLessThan(3 * 24 + 3);
    edge.certificate = 'ISSUED';
    await goOn(isOpen, 14 * DAY);
    expect(await read()).toMatchObject({ status: 'ISSUED', problem: null });
  },
);

test('an open door is looked at once a day, and its owner is told when its certificate has ended', async () => {
  const { goOn, edge, clock, read } = await doorWorld();
  await goOn(isOpen);
  const opened = clock.now;
  let looks = 0;
  await goOn(() => {
    looks += 1;
    return clock.now - opened > 9.5 * DAY;
  }, 11 * DAY);
  expect(looks).toBeLessThanOrEqual(12);
  edge.certificate = 'ENDED';
  await goOn((door) => door?.status === 'FAILED', 2 * DAY);
  expect((await read())?.problem).toMatch(/has ended/);
});

test('its owner can have it looked at now, but not over and over', async () => {
  const { deps, look, lead, read, clock } = await doorWorld();
  lead.say = () => ({ alias: undefined, addresses: [], apex: false });
  await look();
  const ask = async () => {
    const door = await read();
    if (!door) throw new Error('no door');
    return (await askForLook(deps, door)).askedAt;
  };
  const first = await ask();
  expect(first).toBe(new Date(clock.now).toISOString());
  clock.now += 2000;
  expect(await ask()).toBe(first);
  clock.now += MINUTE;
  expect(await ask()).toBe(new Date(clock.now).toISOString());
});

test('a look that would ask for another certificate is had once an hour, one that would not whenever it is wanted', async () => {
  const wish = async ({ deps, read, clock }: World) => {
    const ask = async () => {
      const door = await read();
      if (!door) throw new Error('no door');
      return (await askForLook(deps, door)).askedAt;
    };
    await ask();
    clock.now += MINUTE;
    return (await ask()) === new Date(clock.now).toISOString();
  };
  const taken = await doorWorld();
  taken.edge.taken = true;
  await taken.look();
  expect(await wish(taken)).toBe(true);
  const refused = await doorWorld();
  refused.edge.certificate = 'FAILED';
  await refused.goOn((door) => door?.status === 'FAILED');
  expect(await wish(refused)).toBe(false);
  refused.clock.now += HOUR;
  expect(await wish(refused)).toBe(false);
  expect((await refused.read())?.certificates).toBe(1);
});

test('an owner who leads the domain away while its certificate is on its way is told what it waits for', async () => {
  const { goOn, edge, lead, read, clock } = await doorWorld();
  edge.certificate = 'PENDING';
  const began = clock.now;
  await goOn(() => clock.now - began > 8 * MINUTE);
  expect(await read()).toMatchObject({ status: 'PENDING', problem: null });
  lead.say = () => ({ alias: 'old.example.net', addresses: [], apex: false });
  await goOn((door) => Boolean(door?.problem), HOUR);
  expect((await read())?.problem).toMatch(/leads to old\.example\.net/);
  lead.say = () => ({ alias: undefined, addresses: ['198.51.100.7'], apex: true });
  await goOn((door) => door?.problem === null, 2 * HOUR);
  edge.certificate = 'ISSUED';
  await goOn(isOpen);
});

test('the reconciler takes up a door whose execution died, once for each time that it falls due', async () => {
  const { deps, clock, look, edge, goOn } = await doorWorld();
  const started: string[] = [];
  const doorKeeping = {
    start: async (name: string) => void started.push(name),
    status: async () => 'MISSING' as const,
    stop: async () => undefined,
  };
  const reconcile = () => reconcileDoors({ ...deps, doorKeeping });
  expect(await reconcile()).toBe(0);
  await look();
  expect(edge.tenants).toHaveLength(1);
  for (let minute = 0; minute < 12; minute += 1) {
    clock.now += MINUTE;
    await reconcile();
  }
  expect(started).toHaveLength(2);
  expect(new Set(started).size).toBe(2);
  await goOn(isOpen);
  expect(await reconcile()).toBe(0);
});
