import * as z from 'zod/mini';
import { DNS_PROVIDERS, DNS_TYPES } from '../enums.ts';
import { Id, resource, single, wholeList } from '../envelope.ts';
import { route } from '../route.ts';

/** The maximum number of records of a domain. Adding another fails with 409. */
export const MAX_RECORDS = 500;

/** A DNS record (specification, Resources: DNS record). */
const DnsRecord = resource('DnsRecord', () =>
  z.object({
    id: z.string(),
    type: z.enum(DNS_TYPES),
    name: z.string(),
    content: z.string(),
    ttl: z.int(),
    prio: z.int(),
  }),
);

/** A new record. domain/dns/rules.ts checks the rules of each type. */
export const NewRecord = () =>
  z.object({
    type: z.enum(DNS_TYPES),
    name: z._default(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253)), ''),
    content: z.string().check(z.minLength(1), z.maxLength(2048)),
    ttl: z._default(z.int().check(z.minimum(60), z.maximum(86_400)), 3600),
    prio: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  });

const tag = 'Domains and DNS';
const Done = () => single(z.object({ ok: z.literal(true) }));

export const listDnsRecords = /* @__PURE__ */ route({
  id: 'listDnsRecords',
  method: 'GET',
  path: '/v1/domains/{id}/dns',
  access: 'read',
  right: 'member',
  summary: 'List the DNS records of a domain',
  tag,
  params: Id,
  response: () => z.extend(wholeList(DnsRecord()), { provider: z.enum(DNS_PROVIDERS) }),
});

export const addDnsRecord = /* @__PURE__ */ route({
  id: 'addDnsRecord',
  method: 'POST',
  path: '/v1/domains/{id}/dns',
  access: 'domains',
  right: 'develop',
  audit: 'dns-record.added',
  summary: 'Add a DNS record',
  tag,
  params: Id,
  body: NewRecord,
  status: 201,
  response: Done,
});

const RecordId = () => z.extend(Id(), { recordId: z.string().check(z.minLength(1), z.maxLength(64)) });

/** An addition to the specification, for the dashboard only. */
export const replaceDnsRecord = /* @__PURE__ */ route({
  id: 'replaceDnsRecord',
  method: 'PUT',
  path: '/dashboard/v1/domains/{id}/dns/{recordId}',
  access: 'login',
  right: 'develop',
  audit: 'dns-record.replaced',
  summary: 'Replace a DNS record in one step, without a gap between the old and the new record',
  tag,
  params: RecordId,
  body: NewRecord,
  response: Done,
});

export const deleteDnsRecord = /* @__PURE__ */ route({
  id: 'deleteDnsRecord',
  method: 'DELETE',
  path: '/v1/domains/{id}/dns/{recordId}',
  access: 'domains',
  right: 'develop',
  audit: 'dns-record.deleted',
  summary: 'Delete a DNS record',
  tag,
  params: RecordId,
  response: Done,
});
