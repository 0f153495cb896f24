import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { addDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { Zone } from '../../table/entities/dns.ts';
import { registerDomain } from '../support/domains.ts';
import { codeOf, newAccount, waitFor } from '../support/harness.ts';
import { platformDeps } from '../support/hosting.ts';

test('an application with a reserved name gets another slug, and no error', async () => {
  const account = await newAccount();
  for (const name of ['Login', 'API']) {
    const { status, body } = await account.call(createApp, { body: { name, framework: 'NODE' } });
    expect(status).toBe(201);
    expect(body.data.slug).toMatch(new RegExp(`^${name.toLowerCase()}-[0-9a-f]{10}$`));
    expect(body.data).toMatchObject({ name, primaryDomain: `${body.data.slug}.apps.localhost` });
  }
});

test('records that the name servers would refuse are refused before they are stored, and the others are served', async () => {
  const owner = await newAccount({ walletCents: 500_000 });
  const { domain } = await registerDomain(owner);
  const add = (content: string, name = 'text') =>
    owner.call(addDnsRecord, { params: { id: domain.id }, body: { type: 'TXT', name, content } });
  const long = await add(`a${'"'.repeat(1200)}`);
  expect([codeOf(long), long.error?.message]).toEqual(['invalid_request', expect.stringMatching(/^content: /)]);
  const statuses: number[] = [];
  for (let index = 0; index < 8; index += 1) statuses.push((await add(`${index}${'x'.repeat(1999)}`)).status);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 201, 409]);
  expect((await add('v=spf1 -all', 'other')).status).toBe(201);
  const { data } = (await owner.call(listDnsRecords, { params: { id: domain.id } })).body;
  expect(data).toHaveLength(8);
  const deps = await platformDeps();
  const zone = { accountId: owner.id, domainId: domain.id };
  await waitFor(async () => {
    const found = await deps.table.get(Zone, zone);
    return found && found.mirrored === found.version && found.failures === undefined;
  });
});
