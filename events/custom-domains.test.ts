import { expect, test } from 'vitest';
import { type AdoptionDeps, AdoptionInput, adoptDomain } from '../domain/processes/adopt-domain.ts';
import { tldsOnSale } from '../domain/registrar/tlds.ts';
import { App, type CustomDomain, Host } from '../table/entities/apps.ts';
import { Domain } from '../table/entities/registrar.ts';
import { create } from '../table/writes.ts';
import { newSimulatedAccount } from '../test/simulation/account.ts';
import { simulatedApp } from '../test/simulation/app.ts';
import { REGISTRANT } from '../test/simulation/domains.ts';
import { simulation } from '../test/simulation/simulation.ts';
import { inEveryCell } from '../test/support/cells.ts';
import { consume } from './consume.ts';
import { customDomainRules } from './custom-domains.ts';

test('an adopted domain, however old, ends the claims that other accounts verified before its adoption', async () => {
  const { steady, clock, memory } = simulation();
  const { deps } = steady;
  const nameservers = ['ns1.example.net', 'ns2.example.net'];
  const outside = {
    ...inEveryCell({ edgeEndpoint: 'd1.cloudfront.net' }),
    registrar: {
      registered: async () => ({
        createdAt: new Date(clock.now - 10 * 365 * 86_400_000),
        expiresAt: new Date(clock.now + 200 * 86_400_000),
        nameservers,
      }),
    },
    dns: { ensureZone: async () => ({ id: 'Z1', nameservers }), recordSets: async () => [], change: async () => {} },
    tlds: tldsOnSale(deps),
  };
  const host = 'theirs.shop.co.za';
  const at = deps.now().toISOString();
  const customDomain: CustomDomain = { host, token: 'a', status: 'VERIFIED', claimedAt: at, checkedAt: null };
  const of = { accountId: 'acc_2', id: 'app_2' };
  await deps.table.transact([
    newSimulatedAccount('acc_1'),
    newSimulatedAccount('acc_2'),
    create(App, simulatedApp({ ...of, primaryDomain: host, hosts: ['two.apps'], customDomain })),
    create(Host, { host, accountId: of.accountId, applicationId: of.id, verifiedAt: at }),
  ]);
  clock.now += 86_400_000;
  memory.records.splice(0);
  const input = AdoptionInput().parse({ accountId: 'acc_1', domain: 'shop.co.za', registrant: REGISTRANT });
  await adoptDomain({ ...deps, ...outside } as unknown as AdoptionDeps, input);
  const adopted = memory.records.filter((record) => JSON.stringify(record).includes(`"${Domain.type}"`));
  expect(adopted.length).toBeGreaterThan(0);
  const jobs = { routes: { send: async () => {} }, workflows: { send: async () => {} } };
  await consume(customDomainRules({ ...deps, jobs } as never))({ Records: adopted as never });
  expect(await deps.table.get(Host, { host })).toBeUndefined();
  expect(await deps.table.get(App, of)).not.toHaveProperty('customDomain');
});
