import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { DnsChange } from '../../providers/dns/dns.ts';
import { type CustomDomain, Host } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { DnsRecord, recordsOf } from '../../table/entities/dns.ts';
import { Domain, DomainName } from '../../table/entities/registrar.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { REGISTRANT } from '../../test/simulation/domains.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { newTenant } from '../custom-domains/reconciliation.ts';
import { tldsOnSale } from '../registrar/tlds.ts';
import { type AdoptionDeps, AdoptionInput, adoptDomain } from './adopt-domain.ts';

/** A domain that is at the registrar, and what is done to it and to the name servers, in order. */
async function world() {
  const { steady, clock } = simulation();
  const { deps } = steady;
  await deps.table.transact([newSimulatedAccount('acc_1')]);
  const done: string[] = [];
  const written: string[] = [];
  let nameservers = ['ns.elsewhere.example'];
  const state = { isAway: false };
  const outside = {
    registrar: {
      registered: async () => ({
        createdAt: new Date('2015-01-01T00:00:00.000Z'),
        expiresAt: new Date('2027-01-01T00:00:00.000Z'),
        nameservers,
      }),
      delegate: async (_: string, given: string[]) => {
        if (done.push('delegated') > 2) nameservers = given;
      },
    },
    ...inEveryCell({ edgeEndpoint: 'd111.cloudfront.net' }),
    dns: {
      ensureZone: async () => ({ id: 'Z1', nameservers: ['ns1.example.net', 'ns2.example.net'] }),
      recordSets: async () => [],
      change: async (_: string, changes: DnsChange[]) => {
        if (state.isAway) throw new Error('Throttling');
        done.push('records');
        written.push(...changes.map(({ set }) => `${set.name} ${set.type} ${set.alias ?? set.values}`));
      },
    },
  };
  const all = { ...deps, ...outside, tlds: tldsOnSale(deps) } as unknown as AdoptionDeps;
  const adopt = (records: object[], accountId = 'acc_1') =>
    adoptDomain(all, AdoptionInput().parse({ accountId, domain: 'shop.co.za', registrant: REGISTRANT, records }));
  return { deps, done, written, adopt, state, clock };
}

test('a domain becomes that of no account that there is not', async () => {
  const { deps, done, adopt } = await world();
  await expect(adopt([], 'acc_typo')).rejects.toMatchObject({ code: 'not_found' });
  expect(done).toEqual([]);
  expect(await deps.table.get(DomainName, { name: 'shop.co.za' })).toBeUndefined();
});

test('a domain is delegated after its records are there, and again by a repeat', async () => {
  const { deps, done, adopt } = await world();
  const { domainId } = await adopt([{ type: 'A', name: 'WWW', content: '192.0.2.7' }]);
  expect(done).toEqual(['records', 'delegated']);
  const records = await deps.table.all(DnsRecord, recordsOf(domainId));
  expect(records).toMatchObject([{ name: 'www', content: '192.0.2.7' }]);
  const domain = await deps.table.get(Domain, { accountId: 'acc_1', id: domainId });
  expect(domain).toMatchObject({ registeredAt: '2015-01-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' });
  // The first time it came to nothing.
  for (let repeat = 0; repeat < 3; repeat += 1) expect(await adopt([])).toEqual({ domainId });
  expect(done).toEqual(['records', 'delegated', 'delegated']);
});

test('the custom domains that serve already have their addresses before the domain is delegated', async () => {
  const { deps, done, written, adopt } = await world();
  const serve = async (host: string, accountId: string) => {
    const of = { accountId, id: `app_${host}` };
    const claimed: CustomDomain = { host, token: host, status: 'VERIFIED', claimedAt: '', checkedAt: null };
    const verifiedAt = deps.now().toISOString();
    const claim = create(Host, { host, accountId, applicationId: of.id, verifiedAt });
    await deps.table.transact([claim, newTenant(deps, of, claimed)]);
  };
  await serve('shop.co.za', 'acc_1');
  await serve('www.shop.co.za', 'acc_1');
  await serve('left.shop.co.za', 'acc_1');
  await serve('theirs.shop.co.za', 'acc_2');
  await serve('www.myshop.co.za', 'acc_1');
  const left = { host: 'left.shop.co.za' };
  await deps.table.transact([change(DistributionTenant, left, { set: { status: 'CLOSING' } })]);
  await adopt([{ type: 'TXT', content: 'v=spf1 -all' }]);
  const alias = (host: string) => ['A', 'AAAA'].map((type) => `${host} ${type} d111.cloudfront.net`);
  expect(written.sort()).toEqual([...alias('shop.co.za'), 'shop.co.za TXT "v=spf1 -all"', ...alias('www.shop.co.za')]);
  expect(done).toEqual(['records', 'delegated']);
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

test.each([
  ['a priority above 65,535', { type: 'MX', content: 'mx.example.net', prio: 65_536 }],
  ['a negative priority', { type: 'MX', content: 'mx.example.net', prio: -5 }],
  ['a text of more than 2,048 characters', { type: 'TXT', content: 'x'.repeat(2049) }],
])('%s is refused, as customers have it refused', async (_what, record) => {
  const { adopt } = await world();
  expect(() => adopt([record])).toThrow(z.core.$ZodError);
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
