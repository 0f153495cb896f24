import { expect, test } from 'vitest';
import { DnsRecord, recordsOf } from '../../table/entities/dns.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { tldsOnSale } from '../registrar/tlds.ts';
import { type AdoptionDeps, AdoptionInput, adoptDomain } from './adopt-domain.ts';

const registrant = {
  ...{ name: 'Thandi', email: 'a@example.co.za', contactNumber: '+27.215550100', address1: '1 Long Street' },
  ...{ city: 'Cape Town', province: 'WC', postalCode: '8001', country: 'ZA' },
};

/** A domain that is at the registrar, and what is done to it and to the name servers, in order. */
async function world() {
  const { steady, clock } = simulation();
  const { deps } = steady;
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  const done: string[] = [];
  let nameservers = ['ns.elsewhere.example'];
  const state = { isAway: false };
  const outside = {
    registrar: {
      registered: async () => ({ expiresAt: new Date('2027-01-01T00:00:00.000Z'), nameservers }),
      delegate: async (_: string, given: string[]) => {
        if (done.push('delegated') > 2) nameservers = given;
      },
    },
    dns: {
      ensureZone: async () => ({ id: 'Z1', nameservers: ['ns1.example.net', 'ns2.example.net'] }),
      recordSets: async () => [],
      change: async () => {
        if (state.isAway) throw new Error('Throttling');
        done.push('records');
      },
    },
  };
  const all = { ...deps, ...outside, tlds: tldsOnSale(deps) } as unknown as AdoptionDeps;
  const adopt = (records: object[]) =>
    adoptDomain(all, AdoptionInput().parse({ accountId: 'acc_1', domain: 'shop.co.za', registrant, records }));
  return { deps, done, adopt, state, clock };
}

test('a domain is delegated after its records are there, and again by a repeat', async () => {
  const { deps, done, adopt } = await world();
  const { domainId } = await adopt([{ type: 'A', name: 'WWW', content: '192.0.2.7' }]);
  expect(done).toEqual(['records', 'delegated']);
  const records = await deps.table.all(DnsRecord, recordsOf(domainId));
  expect(records).toMatchObject([{ name: 'www', content: '192.0.2.7' }]);
  // The first time it came to nothing.
  for (let repeat = 0; repeat < 3; repeat += 1) expect(await adopt([])).toEqual({ domainId });
  expect(done).toEqual(['records', 'delegated', 'delegated']);
});

test.each([
  ['a quoted text', { type: 'TXT', content: '"v=spf1 -all"' }],
  ['an alias at the domain itself', { type: 'CNAME', content: 'example.net' }],
])('a domain of which one record is refused (%s) stays where it is', async (_what, record) => {
  const { done, adopt } = await world();
  const good = { type: 'A', name: 'www', content: '192.0.2.7' };
  await expect(adopt([good, record])).rejects.toMatchObject({ code: 'invalid_request' });
  expect(done).toEqual([]);
});

test('a domain whose records the name servers do not take yet is not delegated until they have them', async () => {
  const { done, adopt, state, clock } = await world();
  state.isAway = true;
  const records = [{ type: 'A', name: 'www', content: '192.0.2.7' }];
  await expect(adopt(records)).rejects.toMatchObject({ status: 503 });
  await expect(adopt(records)).rejects.toMatchObject({ status: 503 });
  state.isAway = false;
  clock.now += 3_600_000;
  await adopt(records);
  expect(done).toEqual(['records', 'delegated']);
});
