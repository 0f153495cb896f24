import { expect, test } from 'vitest';
import type { OpenVerification } from '../../providers/registrar/registrar.ts';
import { registrarSimulation, withoutFaults } from '../../test/simulation/registrar.ts';
import { incidentOfVerification } from '../processes/incidents.ts';
import { sweep } from '../sweep/sweep.ts';
import { domainQueue } from './lifecycle.ts';

const DAY = 86_400_000;

/** A domain whose registrant has an address that the registrar wants confirmed, and the days that pass. */
async function registered(status?: OpenVerification) {
  const registrar: { status: OpenVerification | undefined } = { status };
  const run = registrarSimulation(withoutFaults({ verification: () => registrar.status }));
  await run.order(await run.open(100_000), 'shop.com');
  await run.runUntilIdle();
  const domain = () => run.domains()[0] ?? expect.fail('no domain');
  const notices = new Set<string>();
  const look = () => {
    const { verification } = domain();
    if (verification) notices.add(`${verification.status} ${verification.noticeAt}`);
  };
  look();
  async function days(count: number, needs: Partial<typeof run.steady> = {}) {
    const results = [];
    for (let hour = 0; hour < count * 24; hour += 1) {
      run.clock.now += DAY / 24;
      const report = await sweep({ ...run.steady, ...needs }, domainQueue);
      expect(report.failed).toEqual([]);
      results.push(...report.results);
      look();
    }
    return results;
  }
  return { run, registrar, domain, notices, days };
}

test('an account is told at the registration that the registrant must confirm the address, and reminded until it is', async () => {
  const { registrar, domain, notices, days } = await registered('PENDING');
  expect(domain()).toMatchObject({ status: 'ACTIVE', verification: { status: 'PENDING' } });
  const [incident] = incidentOfVerification(domain());
  expect(incident).toMatchObject({
    kind: 'domain-problem',
    path: `/domains/${domain().id}`,
    at: domain().registeredAt,
  });
  expect(incident?.title).toMatch(
    /^Confirm the registrant's email address for shop\.com, .* Amazon Registrar .* to a@example\.com\.$/,
  );
  await days(10);
  expect(notices.size).toBe(4);
  registrar.status = undefined;
  await days(2);
  expect(domain()).not.toHaveProperty('verification');
  expect(incidentOfVerification(domain())).toEqual([]);
});

test('an account is told once that its domain was suspended because the address was not confirmed', async () => {
  const { registrar, domain, notices, days } = await registered('PENDING');
  notices.clear();
  registrar.status = 'EXPIRED';
  await days(1);
  notices.clear();
  await days(20);
  expect([...notices]).toEqual([expect.stringMatching(/^EXPIRED /)]);
  expect(incidentOfVerification(domain())[0]?.title).toMatch(/^shop\.com is suspended: /);
});

test('a registrar that does not say whether the address is confirmed delays neither registration nor confirmation', async () => {
  const { run, domain, days } = await registered('PENDING');
  const error = new Error('busy');
  const registrar = { ...run.steady.registrar, verification: () => Promise.reject(error) };
  const results = await days(2, { registrar });
  expect(results[0]).toMatchObject({ outcome: 'UNKNOWN', error });
  expect(domain()).toMatchObject({ verification: { status: 'PENDING' } });
  expect(run.clock.now - Date.parse(domain().confirmedAt ?? '')).toBeLessThanOrEqual(DAY);
});
