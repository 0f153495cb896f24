import { DnsRecord, recordsOf, Zone } from '../../../../table/entities/dns.ts';
import { Domain, DomainName, domainsOf } from '../../../../table/entities/registrar.ts';
import { type Contents, contents, unread } from '../contents.ts';
import { foundUnder, listed, type Reader, under } from '../readers.ts';

const domains = listed(Domain, domainsOf);
const records: Reader<DnsRecord> = under(domains, async function* (table, { id }, after) {
  for await (const item of table.newest(DnsRecord, recordsOf(id), { before: after, pageSize: 100 }))
    yield [item.id, item];
});

/** Registered domains and their zones. */
export const DOMAIN_CONTENTS: readonly Contents[] = [
  contents(
    DnsRecord,
    'removed',
    {
      file: 'dns-records',
      shows: ['id', 'domainId', 'type', 'name', 'content', 'ttl', 'prio', 'createdAt'],
    },
    records,
  ),
  contents(
    Zone,
    'teardown',
    {
      file: 'dns-zones',
      shows: ['domainId', 'name', 'hostedZoneId', 'aliases'],
      omits: {
        accountId: 'elsewhere',
        version: 'internal',
        mirrored: 'internal',
        lease: 'internal',
        failures: 'internal',
        retryAt: 'internal',
        releasedAt: 'internal',
        undelegatedSince: 'internal',
        dueAt: 'internal',
      },
    },
    foundUnder(domains, Zone, ({ accountId, id }) => [{ accountId, domainId: id }]),
  ),
  contents(
    Domain,
    'teardown',
    {
      file: 'domains',
      shows: [
        ...([
          'id',
          'name',
          'tld',
          'status',
          'autoRenew',
          'registeredAt',
          'expiresAt',
          'nameservers',
          'dnsProvider',
        ] as const),
        ...([
          'owner',
          'years',
          'privacy',
          'invoiceId',
          'registryExpiresAt',
          'confirmedAt',
          'renewal',
          'createdAt',
        ] as const),
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
    domains,
  ),
  unread(DomainName, 'teardown', 'elsewhere'),
];
