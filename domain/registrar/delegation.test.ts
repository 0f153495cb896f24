import { expect, test } from 'vitest';
import { DelegationInProgress, RegistrarRejected } from '../../providers/registrar/registrar.ts';
import { Zone } from '../../table/entities/dns.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import { change } from '../../table/writes.ts';
import { registrarSimulation, withoutFaults } from '../../test/simulation/registrar.ts';
import { sweep } from '../sweep/sweep.ts';
import type { Unconfirmed } from './confirmation.ts';
import { viewDomain } from './domains.ts';
import { domainQueue } from './lifecycle.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NAME = 'shop.co.za';
const OURS = ['ns1.example.net', 'ns2.example.net'];
const OTHERS = ['ns1.elsewhere.example', 'ns2.elsewhere.example'];

/** A registered domain whose records are at our name servers, and a registry that may refuse name servers. */
async function registered({ refuses = false, isMirrored = true } = {}) {
  const registry = { refuses };
  const run = registrarSimulation(withoutFaults({ refusesNameservers: () => registry.refuses }));
  await run.order(await run.open(100_000), NAME);
  await run.runUntilIdle();
  const domain = (): Domain => {
    const [found] = run.domains();
    if (!found) throw new Error('no domain');
    return found;
  };
  const known = run.registry.get(NAME);
  if (!known) throw new Error('not registered');
  if (isMirrored) {
    const zone = { accountId: domain().accountId, domainId: domain().id };
    await run.deps.table.write(Zone, change(Zone, zone, { set: { version: 1, mirrored: 1 } }));
  }
  const reports: Unconfirmed[] = [];
  /** Lets time pass with the reconciler's checks. */
  async function pass(steps: number, stepMs: number, registrar = run.steady.registrar): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      run.clock.now += stepMs;
      const { results, failed } = await sweep({ ...run.steady, registrar }, domainQueue);
      if (failed.length > 0) throw failed[0]?.error;
      reports.push(...results);
    }
  }
  return { run, registry, domain, known, reports, pass, shown: () => viewDomain(domain()).nameservers };
}

test('name servers that the registry takes are confirmed after an hour, and requested once', async () => {
  const { run, domain, reports, pass, shown } = await registered();
  expect(domain()).toMatchObject({ delegation: { askedAt: expect.any(String) } });
  await pass(3, HOUR);
  expect(domain().delegation).toBeUndefined();
  await pass(30, DAY);
  expect([run.delegations, reports, shown()]).toEqual([[NAME], [], OURS]);
});

test('name servers that the registry refuses are requested again once, then reported; the API shows what the registry has', async () => {
  const { run, registry, known, domain, reports, pass, shown } = await registered({ refuses: true });
  known.nameservers = OTHERS;
  expect(shown()).toEqual(OURS);
  const slow: typeof run.steady.registrar.delegate = async (...request) => {
    run.clock.now += 300;
    return await run.steady.registrar.delegate(...request);
  };
  await pass(1, HOUR, { ...run.steady.registrar, delegate: slow });
  expect([run.delegations, shown(), reports]).toEqual([[NAME, NAME], OTHERS, []]);
  await pass(1, HOUR);
  const { id: domainId, accountId } = domain();
  expect(reports).toEqual([{ accountId, domainId, domain: NAME, outcome: 'MISDELEGATED', present: OTHERS }]);
  await pass(14, DAY);
  expect(run.delegations).toEqual([NAME, NAME]);
  expect(reports, 'reported every week until it is mended').toHaveLength(3);
  registry.refuses = false;
  known.nameservers = OURS.map((each) => `${each.toUpperCase()}.`);
  await pass(7, DAY);
  expect(domain()).not.toHaveProperty('delegation');
  expect([reports.length, shown()]).toEqual([3, OURS]);
});

test('name servers that were changed at the registry are set again within a week', async () => {
  const { run, known, reports, pass, shown } = await registered();
  await pass(3, HOUR);
  known.nameservers = OTHERS;
  await pass(7, DAY);
  expect(known.nameservers).toEqual(OURS);
  await pass(2, HOUR);
  expect([run.delegations, reports, shown()]).toEqual([[NAME, NAME], [], OURS]);
});

test('resolvers are not sent to our name servers before these have the records', async () => {
  const { run, known, pass, shown } = await registered({ isMirrored: false });
  known.nameservers = OTHERS;
  await pass(5, HOUR);
  expect([run.delegations, shown()]).toEqual([[NAME], OTHERS]);
});

test('a request that another change delays, or that is not answered, is repeated; one that is rejected is reported', async () => {
  const { run, known, reports, pass } = await registered();
  known.nameservers = OTHERS;
  const failing = (error: Error) => ({ ...run.steady.registrar, delegate: () => Promise.reject(error) });
  await pass(3, HOUR, failing(new DelegationInProgress('busy')));
  expect(reports).toEqual([]);
  await pass(2, HOUR, failing(new Error('no answer')));
  expect(reports.splice(0).map(({ outcome }) => outcome)).toEqual(['UNKNOWN', 'UNKNOWN']);
  await pass(2, HOUR, failing(new RegistrarRejected('invalid')));
  expect(reports).toMatchObject([{ outcome: 'MISDELEGATED', present: OTHERS }, { outcome: 'MISDELEGATED' }]);
});

test('a domain that the registrar confirms is not denied, whatever comes of the request for its name servers', async () => {
  const { run, domain, known, reports, pass, shown } = await registered();
  await pass(3, HOUR);
  known.ours = false;
  await pass(7, DAY);
  expect(domain().absentSince).toBeDefined();
  Object.assign(known, { ours: true, nameservers: OTHERS });
  const error = new Error('Rate exceeded');
  const throttled = { ...run.steady.registrar, delegate: () => Promise.reject(error) };
  await pass(1, DAY, throttled);
  const now = new Date(run.clock.now).toISOString();
  expect(domain()).toMatchObject({ confirmedAt: now, delegation: { askedAt: now, present: OTHERS } });
  expect(domain()).not.toHaveProperty('absentSince');
  expect([reports.at(-1), shown()]).toMatchObject([{ outcome: 'UNKNOWN', error }, OTHERS]);
  await pass(8 * 24, HOUR, throttled);
  known.ours = false;
  await pass(1, DAY, throttled);
  expect(domain().status, 'one denial ends nothing').toBe('ACTIVE');
  known.ours = true;
  await pass(1, DAY);
  expect([known.nameservers, domain().absentSince]).toEqual([OURS, undefined]);
});
