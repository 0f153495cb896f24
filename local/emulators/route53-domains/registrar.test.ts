import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CheckDomainAvailabilityCommand,
  type ContactDetail,
  GetContactReachabilityStatusCommand,
  GetDomainDetailCommand,
  GetOperationDetailCommand,
  ListOperationsCommand,
  RegisterDomainCommand,
  RenewDomainCommand,
  Route53DomainsClient,
  UpdateDomainNameserversCommand,
} from '@aws-sdk/client-route-53-domains';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Emulator } from '../wire.ts';
import { startRegistrar } from './registrar.ts';

/** Tests the emulator with Amazon's own client, so that the platform's code can rely on what it accepts. */
let dataDir: string;
let registrar: Emulator;
let client: Route53DomainsClient;
const clock = { now: 0 };
const now = () => clock.now;

async function start(): Promise<void> {
  registrar = await startRegistrar({ dataDir, now });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new Route53DomainsClient({ region: 'us-east-1', endpoint: registrar.url, credentials, maxAttempts: 1 });
}
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'registrar-'));
  clock.now = Date.parse('2026-01-31T09:30:00.000Z');
  await start();
});
afterEach(async () => {
  await registrar.stop();
  rmSync(dataDir, { recursive: true });
});

const contact: ContactDetail = {
  ContactType: 'PERSON',
  FirstName: 'Thandi',
  LastName: 'Mokoena',
  Email: 'thandi@example.co.za',
  PhoneNumber: '+27.215551234',
  AddressLine1: '1 Long Street',
  City: 'Cape Town',
  State: 'WC',
  ZipCode: '8001',
  CountryCode: 'ZA',
};
const register = async (DomainName: string, DurationInYears = 1, privacy = false) => {
  const contacts = { AdminContact: contact, RegistrantContact: contact, TechContact: contact };
  const PrivacyProtectRegistrantContact = privacy;
  const input = { DomainName, DurationInYears, ...contacts, PrivacyProtectRegistrantContact };
  return (await client.send(new RegisterDomainCommand(input))).OperationId;
};
const statusOf = async (OperationId?: string) =>
  (await client.send(new GetOperationDetailCommand({ OperationId }))).Status;
const availability = async (DomainName: string) =>
  (await client.send(new CheckDomainAvailabilityCommand({ DomainName }))).Availability;

test('registers a name after a delay and keeps it over a restart', async () => {
  expect(await availability('shop.co.za')).toBe('AVAILABLE');
  const operation = await register('shop.co.za');
  expect(await statusOf(operation)).toBe('IN_PROGRESS');
  await expect(register('shop.co.za')).rejects.toMatchObject({ name: 'DuplicateRequest' });
  await registrar.stop();
  await start();
  clock.now += 1000;
  expect(await statusOf(operation)).toBe('SUCCESSFUL');
  expect(await availability('shop.co.za')).toBe('UNAVAILABLE');
  await expect(register('shop.co.za')).rejects.toMatchObject({ name: 'InvalidInput' });
  const { ExpirationDate } = await client.send(new GetDomainDetailCommand({ DomainName: 'shop.co.za' }));
  expect(ExpirationDate?.toISOString()).toBe('2027-01-31T09:30:01.000Z');
});

test('chooses the result by the prefix of the name', async () => {
  expect(await availability('taken-shop.com')).toBe('UNAVAILABLE');
  expect(await availability('premium-shop.com')).toBe('UNAVAILABLE_PREMIUM');
  const refused = await register('refused-shop.com');
  const slow = await register('slow-shop.com');
  clock.now += 9000;
  expect([await statusOf(refused), await statusOf(slow)]).toEqual(['FAILED', 'IN_PROGRESS']);
  clock.now += 1000;
  expect(await statusOf(slow)).toBe('SUCCESSFUL');
  expect(await availability('refused-shop.com')).toBe('AVAILABLE');
});

test('sells .co.za by the year and without privacy', async () => {
  await expect(register('shop.co.za', 2)).rejects.toMatchObject({ name: 'TLDRulesViolation' });
  await expect(register('shop.co.za', 1, true)).rejects.toMatchObject({ name: 'TLDRulesViolation' });
  expect(await register('shop.com', 2, true)).toBeTruthy();
});

test('renews once per named year of expiry and lists requests newest first', async () => {
  await register('shop.com');
  clock.now += 1000;
  const renew = () => client.send(new RenewDomainCommand({ DomainName: 'shop.com', CurrentExpiryYear: 2027 }));
  await renew();
  clock.now += 1000;
  await expect(renew()).rejects.toMatchObject({ name: 'InvalidInput' });
  const Nameservers = ['ns1.example.net', 'ns2.example.net'].map((Name) => ({ Name }));
  await client.send(new UpdateDomainNameserversCommand({ DomainName: 'shop.com', Nameservers }));
  clock.now += 1000;
  const detail = await client.send(new GetDomainDetailCommand({ DomainName: 'shop.com' }));
  expect(detail.Nameservers).toEqual(Nameservers);
  expect(detail.ExpirationDate?.getUTCFullYear()).toBe(2028);
  const { Operations } = await client.send(new ListOperationsCommand({ SortBy: 'SubmittedDate', SortOrder: 'DESC' }));
  expect(Operations?.map(({ Type }) => Type)).toEqual(['UPDATE_NAMESERVER', 'RENEW_DOMAIN', 'REGISTER_DOMAIN']);
});

test('undelegated-… keeps its name servers: a change of them is accepted and then fails', async () => {
  await register('undelegated-shop.com');
  clock.now += 1000;
  const Nameservers = ['ns1.example.net', 'ns2.example.net'].map((Name) => ({ Name }));
  const input = { DomainName: 'undelegated-shop.com', Nameservers };
  const { OperationId } = await client.send(new UpdateDomainNameserversCommand(input));
  expect(await statusOf(OperationId)).toBe('IN_PROGRESS');
  clock.now += 1000;
  expect(await statusOf(OperationId)).toBe('FAILED');
  const detail = await client.send(new GetDomainDetailCommand({ DomainName: 'undelegated-shop.com' }));
  expect(detail.Nameservers).toEqual([]);
});

test('unverified-… waits for its registrant for fifteen days; others are confirmed', async () => {
  await register('unverified-shop.com');
  await register('shop.com');
  clock.now += 1000;
  const read = (domainName: string) => client.send(new GetContactReachabilityStatusCommand({ domainName }));
  expect(await read('shop.com')).toMatchObject({ domainName: 'shop.com', status: 'DONE' });
  expect(await read('unverified-shop.com')).toMatchObject({ status: 'PENDING' });
  clock.now += 15 * 86_400_000;
  expect(await read('unverified-shop.com')).toMatchObject({ status: 'EXPIRED' });
  await expect(read('elsewhere.com')).rejects.toMatchObject({ name: 'InvalidInput' });
});
