import * as z from 'zod/mini';
import { DNS_PROVIDERS, DNS_TYPES } from '../enums.ts';
import { Id, one, resource } from '../envelope.ts';
import { route } from '../route.ts';

/** A domain's records; the next one is 409 (design, Domains). */
export const RECORD_LIMIT = 500;

/** Specification, Resources: DNS record. */
export const DnsRecord = resource('DnsRecord', () =>
  z.object({
    id: z.string(),
    type: z.enum(DNS_TYPES),
    name: z.string(),
    content: z.string(),
    ttl: z.int(),
    prio: z.int(),
  }),
);

/** What each type asks of its fields beyond this is for domain/dns/rules.ts to say. */
const NewRecord = () =>
  z.object({
    type: z.enum(DNS_TYPES),
    name: z._default(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253)), ''),
    content: z.string().check(z.minLength(1), z.maxLength(2048)),
    ttl: z._default(z.int().check(z.minimum(60), z.maximum(86_400)), 3600),
    prio: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  });

const tag = 'Domains and DNS';
const Done = () => one(z.object({ ok: z.literal(true) }));

export const listDnsRecords = route({
  id: 'listDnsRecords',
  method: 'GET',
  path: '/v1/domains/{id}/dns',
  access: 'read',
  summary: 'List the DNS records of a domain',
  tag,
  params: Id,
  response: () => z.object({ data: z.array(DnsRecord()), provider: z.enum(DNS_PROVIDERS) }),
});

export const addDnsRecord = route({
  id: 'addDnsRecord',
  method: 'POST',
  path: '/v1/domains/{id}/dns',
  access: 'domains',
  summary: 'Add a DNS record',
  tag,
  params: Id,
  body: NewRecord,
  status: 201,
  response: Done,
});

export const deleteDnsRecord = route({
  id: 'deleteDnsRecord',
  method: 'DELETE',
  path: '/v1/domains/{id}/dns/{recordId}',
  access: 'domains',
  summary: 'Delete a DNS record',
  tag,
  params: () => z.extend(Id(), { recordId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  response: Done,
});
