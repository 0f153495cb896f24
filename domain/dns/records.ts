import {
  type addDnsRecord as AddRoute,
  type deleteDnsRecord as DeleteRoute,
  type listDnsRecords as ListRoute,
  MAX_RECORDS,
  type replaceDnsRecord as ReplaceRoute,
} from '../../contract/dns/records.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { DnsRecord, recordsOf, Zone, zoneChanged } from '../../table/entities/dns.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import type { Change } from '../../table/expressions.ts';
import { change, create, remove, type Write } from '../../table/writes.ts';
import { concurrentUpdate, contended, retryRequest } from '../conflict.ts';
import type { AuditedChange, Caller, Deps } from '../deps.ts';
import { findDomain } from '../registrar/domains.ts';
import { assertNoConflict, parseRecord } from './rules.ts';
import { addition, deletion, soleChange } from './zone-changes.ts';

const noSuchRecord = () => new ApiError('not_found', 'DNS record not found.');

/** Reads one of the caller's domains with its records, in one round trip. Throws 404. */
async function findRecords(deps: Deps, caller: Caller, domainId: string) {
  const [domain, records] = await Promise.all([
    findDomain(deps, caller, domainId),
    deps.table.all(DnsRecord, recordsOf(domainId)),
  ]);
  return { domain, records };
}

/** GET /v1/domains/{id}/dns */
export async function listDnsRecords(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { domain, records } = await findRecords(deps, caller, id);
  const data = records.map(({ id, type, name, content, ttl, prio }) => ({ id, type, name, content, ttl, prio }));
  return { data, has_more: false, provider: domain.dnsProvider };
}

interface PlannedChange {
  write: Write;
  change: AuditedChange;
  /** The change of the zone, with the condition on which the rules between records still hold when it is written. */
  zone: Change;
}

/**
 * Changes the records of a domain. Each change increments the zone's version in its transaction. Throws 409 if the platform does not manage
 * the domain's records.
 */
async function changeRecords(
  deps: Deps,
  caller: Caller,
  domainId: string,
  plan: (domain: Domain, records: readonly DnsRecord[], zone: Zone) => PlannedChange,
): Promise<{ data: { ok: true } }> {
  const { accountId } = caller;
  return await retryRequest(async () => {
    // Read the zone before the records: records newer than this version make the write fail, but older ones would go unnoticed.
    const zone = await deps.table.get(Zone, { accountId, domainId });
    const { domain, records } = await findRecords(deps, caller, domainId);
    if (domain.status !== 'ACTIVE' && domain.status !== 'PENDING') {
      throw new ApiError('conflict', 'This domain is not registered.');
    }
    if (domain.dnsProvider === 'EXTERNAL' || !zone) {
      throw new ApiError('conflict', 'This domain uses external name servers: change its records there.');
    }
    const planned = plan(domain, records, zone);
    const update = { ...planned.zone, set: { ...planned.zone.set, ...zoneChanged(deps.now(), zone) } };
    const changeZone = contended(change(Zone, { accountId, domainId }, update, concurrentUpdate));
    return await deps.commit([changeZone, planned.write], { data: { ok: true as const } }, planned.change);
  });
}

/** POST /v1/domains/{id}/dns */
export async function addDnsRecord(
  deps: Deps,
  caller: Caller,
  { id: domainId, ...input }: Input<typeof AddRoute>,
): Promise<Output<typeof AddRoute>> {
  const add = ({ name: domain }: Domain, records: readonly DnsRecord[], before: Zone) => {
    const fields = parseRecord(input, domain);
    assertNoConflict(fields, records);
    if (records.length >= MAX_RECORDS) {
      throw new ApiError('conflict', `A domain has at most ${MAX_RECORDS} records.`);
    }
    const record = { ...fields, id: deps.newId('rec'), domainId, createdAt: deps.now().toISOString() };
    const zone = addition(before, record.name, records.length + 1);
    return { zone, write: create(DnsRecord, record), change: { subjectId: record.id, after: record } };
  };
  return await changeRecords(deps, caller, domainId, add);
}

/** PUT /dashboard/v1/domains/{id}/dns/{recordId}: the record keeps its id. */
export async function replaceDnsRecord(
  deps: Deps,
  caller: Caller,
  { id: domainId, recordId, ...input }: Input<typeof ReplaceRoute>,
): Promise<Output<typeof ReplaceRoute>> {
  const replaceRecord = ({ name: domain }: Domain, records: readonly DnsRecord[], zone: Zone) => {
    const before = records.find(({ id }) => id === recordId);
    if (!before) throw noSuchRecord();
    const fields = parseRecord(input, domain);
    assertNoConflict(
      fields,
      records.filter(({ id }) => id !== recordId),
    );
    const write = change(DnsRecord, { domainId, id: recordId }, { set: { ...fields } }, noSuchRecord);
    const entry = { subjectId: recordId, before, after: { ...before, ...fields } };
    return { zone: soleChange(zone, records.length), write, change: entry };
  };
  return await changeRecords(deps, caller, domainId, replaceRecord);
}

/** DELETE /v1/domains/{id}/dns/{recordId} */
export async function deleteDnsRecord(
  deps: Deps,
  caller: Caller,
  { id: domainId, recordId }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const removeRecord = (_: Domain, records: readonly DnsRecord[], zone: Zone) => {
    const before = records.find(({ id }) => id === recordId);
    if (!before) throw noSuchRecord();
    const write = remove(DnsRecord, { domainId, id: recordId }, { pk: 'present' }, noSuchRecord);
    return { zone: deletion(zone), write, change: { subjectId: recordId, before } };
  };
  return await changeRecords(deps, caller, domainId, removeRecord);
}
