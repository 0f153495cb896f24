import { DnsRecord, recordsOf, Zone } from '../../../../table/entities/dns.ts';
import { Domain, DomainName, domainsOf } from '../../../../table/entities/registrar.ts';
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { keyedReader, listReader, nestedReader, type Reader } from '../item-readers.ts';

const readDomains = listReader(Domain, domainsOf);
const readRecords: Reader<DnsRecord> = nestedReader(readDomains, async function* (table, { id }, after) {
  for await (const item of table.newest(DnsRecord, recordsOf(id), { before: after, pageSize: 100 }))
    yield [item.id, item];
});

/** Contents of an account: registered domains and their zones. */
export const DOMAIN_CONTENTS: readonly Contents[] = [
  defineContents(
    DnsRecord,
    'removed',
    {
      file: 'dns-records',
      shows: ['id', 'domainId', 'type', 'name', 'content', 'ttl', 'prio', 'createdAt'],
    },
    readRecords,
  ),
  defineContents(
    Zone,
    'teardown',
    {
      file: 'dns-zones',
      shows: ['domainId', 'name', 'hostedZoneId', 'aliases'],
      omits: {
        accountId: 'elsewhere',
        version: 'internal',
        changes: 'internal',
        mirrored: 'internal',
        lease: 'internal',
        failures: 'internal',
        retryAt: 'internal',
        releasedAt: 'internal',
        undelegatedSince: 'internal',
        dueAt: 'internal',
      },
    },
    keyedReader(readDomains, Zone, ({ accountId, id }) => [{ accountId, domainId: id }]),
  ),
  defineContents(
    Domain,
    'teardown',
    {
      file: 'domains',
      shows: [
        'id',
        'name',
        'tld',
        'status',
        'autoRenew',
        'registeredAt',
        'expiresAt',
        'nameservers',
        'dnsProvider',
        'owner',
        'years',
        'privacy',
        'invoiceId',
        'registryExpiresAt',
        'confirmedAt',
        'renewal',
        'createdAt',
      ],
      omits: {
        accountId: 'elsewhere',
        yearsAtOnce: 'internal',
        absentSince: 'internal',
        delegation: 'internal',
        expiryNotice: 'internal',
        verification: 'internal',
        task: 'internal',
        dueAt: 'internal',
      },
    },
    readDomains,
  ),
  defineUnread(DomainName, 'teardown', 'elsewhere'),
];
