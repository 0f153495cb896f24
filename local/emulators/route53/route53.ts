import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { openState } from '../state.ts';
import { createThrottle } from '../strict.ts';
import { type Emulator, type EmulatorOptions, ServiceError, type WireRequest } from '../wire.ts';
import { parseXml, serveXml, type XmlResponse } from '../xml.ts';

const RecordSet = z.object({
  /** In lower case, without the trailing dot. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  /** In the notation of zone files. */
  values: z.array(z.string()),
  /** Replaces the values: the name whose addresses this name has. */
  alias: z.string().optional(),
});
export type RecordSet = z.output<typeof RecordSet>;
const Zone = z.object({ id: z.string(), name: z.string(), reference: z.string(), sets: z.array(RecordSet) });
export type Zone = z.output<typeof Zone>;

export interface Route53 extends Emulator {
  /** Returns the zone that is authoritative for a name in lower case: the closest one above it. */
  zoneOf(name: string): Zone | undefined;
}

/** Each zone has name servers of its own. */
const newNameservers = (id: string): string[] =>
  [1, 2, 3, 4].map((at) => `ns${at}-${id.slice(1, 9).toLowerCase()}.dns.localhost`);
const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';

const normalizeName = (name: string): string =>
  name
    .replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();
/** Formats a name as Route 53 does: characters other than letters, digits, hyphens and underscores as octal codes. */
const formatName = (name: string): string =>
  `${name.replace(/[^a-z0-9._-]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)}.`;

/** Returns the sort key of Route 53's order: labels from last to first. */
const sortKey = (name: string, type: string): string => `${name.split('.').reverse().join('.')}. ${type}`;

const invalid = (message: string) => new ServiceError('InvalidChangeBatch', `[${message}]`);

const HOST = /^([a-z0-9_-]{1,63}\.)+$/i;
const TEXTS = /^"([^"\\]|\\.){0,1020}"( "([^"\\]|\\.){0,1020}")*$/;
const VALUES: Record<string, RegExp> = {
  A: /^\d+\.\d+\.\d+\.\d+$/,
  AAAA: /^[0-9a-f:.]+$/i,
  CNAME: HOST,
  NS: HOST,
  MX: /^\d{1,5} (\.|([a-z0-9_-]{1,63}\.)+)$/i,
  SRV: /^\d{1,5} \d{1,5} \d{1,5} (\.|([a-z0-9_-]{1,63}\.)+)$/i,
  CAA: /^\d{1,3} [a-z]+ "[^"]*"$/,
  TXT: TEXTS,
};

/** An UPSERT counts its values and their characters twice. */
const MAX_VALUE_CHARACTERS = AWS_LIMITS.route53ValueCharacters.value;
const MAX_SET_VALUES = AWS_LIMITS.route53SetValues.value;
const MAX_REQUEST_VALUES = AWS_LIMITS.route53RequestValues.value;
const MAX_REQUEST_CHARACTERS = AWS_LIMITS.route53RequestCharacters.value;

interface Change {
  action: string;
  set: RecordSet;
}

const ZoneInput = z.object({ Name: z.string(), CallerReference: z.string() });
const ChangesInput = z.object({
  ChangeBatch: z.object({
    Changes: z.object({
      Change: z.array(
        z.object({
          Action: z.string(),
          ResourceRecordSet: z.object({
            Name: z.string(),
            Type: z.string(),
            TTL: z.coerce.number().default(0),
            ResourceRecords: z.object({ ResourceRecord: z.array(z.object({ Value: z.string() })) }).optional(),
            AliasTarget: z.object({ DNSName: z.string() }).optional(),
          }),
        }),
      ),
    }),
  }),
});

const changesOf = (body: Buffer): Change[] =>
  parseXml(ChangesInput, body).ChangeBatch.Changes.Change.map(({ Action, ResourceRecordSet }) => {
    const { Name, Type, TTL, ResourceRecords, AliasTarget } = ResourceRecordSet;
    return {
      action: Action,
      set: {
        name: normalizeName(Name),
        type: Type,
        ttl: TTL,
        values: ResourceRecords?.ResourceRecord.map(({ Value }) => Value) ?? [],
        ...(AliasTarget ? { alias: normalizeName(AliasTarget.DNSName) } : {}),
      },
    };
  });

const isSame = (a: RecordSet, b: RecordSet): boolean =>
  a.ttl === b.ttl &&
  a.alias === b.alias &&
  JSON.stringify([...a.values].sort()) === JSON.stringify([...b.values].sort());

/** Refuses a request that exceeds the limits of Route 53. */
function checkLimits(changes: readonly Change[]): void {
  const count = (of: (values: string[]) => number) =>
    changes.reduce((sum, { action, set }) => sum + of(set.values) * (action === 'UPSERT' ? 2 : 1), 0);
  const values = count((each) => each.length);
  const characters = count((each) => each.join('').length);
  if (values > MAX_REQUEST_VALUES)
    throw invalid(`Number of records limit of ${MAX_REQUEST_VALUES} exceeded, request contains ${values}`);
  if (characters > MAX_REQUEST_CHARACTERS)
    throw invalid(`RDATA character limit of ${MAX_REQUEST_CHARACTERS} exceeded, request contains ${characters}`);
  for (const { set } of changes) {
    if (set.values.length > MAX_SET_VALUES) throw invalid(`Too many records in the set '${set.name}.' ${set.type}`);
    if (set.values.some((value) => value.length > MAX_VALUE_CHARACTERS))
      throw new ServiceError('InvalidInput', `Member must have length less than or equal to ${MAX_VALUE_CHARACTERS}`);
  }
}

/** Refuses a record set that a zone cannot have beside its others. */
function checkSet({ name, type, ttl, values, alias }: RecordSet, others: Iterable<RecordSet>, what: string): void {
  if (alias && (values.length > 0 || ttl > 0 || !['A', 'AAAA'].includes(type)))
    throw invalid(`${what} with an alias and something else`);
  if ((values.length === 0 && !alias) || new Set(values).size < values.length)
    throw invalid(`${what} with duplicate values or none`);
  const wrong = values.find((value) => !VALUES[type]?.test(value));
  if (wrong !== undefined) throw invalid(`${what}: value '${wrong}' is invalid`);
  const beside = [...others].filter((other) => other.name === name && other.type !== type);
  if (beside.some((other) => type === 'CNAME' || other.type === 'CNAME')) {
    throw invalid(`RRSet of type ${type} with DNS name ${name}. is not permitted as it conflicts with other records`);
  }
}

/** Applies all changes or none. Returns the zone's resulting record sets. */
function applyChanges(zone: Zone, changes: readonly Change[]): RecordSet[] {
  checkLimits(changes);
  const sets = new Map(zone.sets.map((set) => [sortKey(set.name, set.type), set]));
  for (const { action, set } of changes) {
    const { name, type } = set;
    const key = sortKey(name, type);
    const what = `Tried to ${action.toLowerCase()} resource record set [name='${name}.', type='${type}']`;
    if (name !== zone.name && !name.endsWith(`.${zone.name}`)) throw invalid(`${what}, but it is not in ${zone.name}.`);
    const known = sets.get(key);
    if (action === 'DELETE') {
      if (!known) throw invalid(`${what} but it was not found`);
      if (!isSame(known, set)) throw invalid(`${what} but the values provided do not match the current values`);
      sets.delete(key);
    } else {
      if (action === 'CREATE' && known) throw invalid(`${what} but it already exists`);
      checkSet(set, sets.values(), what);
      sets.set(key, set);
    }
  }
  return [...sets.values()].sort((a, b) => (sortKey(a.name, a.type) < sortKey(b.name, b.type) ? -1 : 1));
}

const showSet = ({ name, type, ttl, values, alias }: RecordSet) => ({
  Name: formatName(name),
  Type: type,
  ...(alias === undefined
    ? { TTL: ttl, ResourceRecords: { ResourceRecord: values.map((Value) => ({ Value })) } }
    : { AliasTarget: { HostedZoneId: 'Z2FDTNDATAQYW2', DNSName: formatName(alias), EvaluateTargetHealth: false } }),
});

const showZone = ({ id, name, reference, sets }: Zone) => ({
  Id: `/hostedzone/${id}`,
  Name: `${name}.`,
  CallerReference: reference,
  Config: { PrivateZone: false },
  ResourceRecordSetCount: sets.length,
});

const showDelegated = (zone: Zone) => ({
  HostedZone: showZone(zone),
  DelegationSet: {
    NameServers: {
      NameServer: zone.sets
        .filter(({ name, type }) => name === zone.name && type === 'NS')
        .flatMap(({ values }) => values.map((value) => value.replace(/\.$/, ''))),
    },
  },
});
const CHANGE_INFO = { Id: '/change/C0', Status: 'INSYNC', SubmittedAt: '2020-01-01T00:00:00Z' };

/**
 * Starts an emulator of Amazon Route 53's zones and record sets, with its XML REST protocol. Zones are stored on disk.
 */
export async function startRoute53({ dataDir, port, strict }: EmulatorOptions): Promise<Route53> {
  const state = openState(join(dataDir, 'route53.json'), z.object({ zones: z.array(Zone) }), { zones: [] });
  const { zones } = state.value;
  const throttle = createThrottle(strict, () => new ServiceError('Throttling', 'Rate exceeded'));

  const find = (id: string): Zone => {
    const zone = zones.find((each) => each.id === id);
    if (!zone) throw new ServiceError('NoSuchHostedZone', `No hosted zone found with ID: ${id}`, 404);
    return zone;
  };

  function create(body: Buffer): XmlResponse {
    throttle('route53CreateZoneRate');
    if (strict && zones.length >= AWS_LIMITS.route53Zones.value)
      throw new ServiceError('TooManyHostedZones', 'Limits Exceeded: MAX_HOSTED_ZONES_BY_OWNER');
    const { Name, CallerReference: reference } = parseXml(ZoneInput, body);
    const name = normalizeName(Name);
    if (zones.some((zone) => zone.reference === reference)) {
      throw new ServiceError(
        'HostedZoneAlreadyExists',
        `A hosted zone has already been created with the specified caller reference.`,
        409,
      );
    }
    const id = `Z${randomBytes(8).toString('hex').toUpperCase()}`;
    const nameservers = newNameservers(id);
    const soa = `${nameservers[0]}. hostmaster.dns.localhost. 1 7200 900 1209600 300`;
    const sets = [
      { name, type: 'NS', ttl: 172_800, values: nameservers.map((each) => `${each}.`) },
      { name, type: 'SOA', ttl: 900, values: [soa] },
    ];
    const zone = { id, name, reference, sets };
    zones.push(zone);
    state.save();
    const content = { ...showDelegated(zone), ChangeInfo: CHANGE_INFO };
    const headers = { location: `https://route53.amazonaws.com/2013-04-01/hostedzone/${zone.id}` };
    return { status: 201, headers, document: ['CreateHostedZoneResponse', content] };
  }

  function remove(zone: Zone): XmlResponse {
    if (zone.sets.some(({ name, type }) => name !== zone.name || (type !== 'NS' && type !== 'SOA')))
      throw new ServiceError(
        'HostedZoneNotEmpty',
        'The specified hosted zone contains non-required resource record sets and so cannot be deleted.',
      );
    zones.splice(zones.indexOf(zone), 1);
    state.save();
    return { document: ['DeleteHostedZoneResponse', { ChangeInfo: CHANGE_INFO }] };
  }

  function listByName(query: URLSearchParams): XmlResponse {
    const from = sortKey(normalizeName(query.get('dnsname') ?? ''), '');
    const most = Number(query.get('maxitems') ?? 100);
    const found = [...zones]
      .sort((a, b) => (sortKey(a.name, '') < sortKey(b.name, '') ? -1 : 1))
      .filter(({ name }) => sortKey(name, '') >= from);
    const content = {
      HostedZones: { HostedZone: found.slice(0, most).map(showZone) },
      IsTruncated: found.length > most,
      MaxItems: most,
    };
    return { document: ['ListHostedZonesByNameResponse', content] };
  }

  function listSets(zone: Zone, query: URLSearchParams): XmlResponse {
    const most = Number(query.get('maxitems') ?? 300);
    const from = query.has('name') ? sortKey(normalizeName(query.get('name') ?? ''), query.get('type') ?? '') : '';
    const found = zone.sets.filter(({ name, type }) => sortKey(name, type) >= from);
    const next = found[most];
    const content = {
      ResourceRecordSets: { ResourceRecordSet: found.slice(0, most).map(showSet) },
      IsTruncated: next !== undefined,
      MaxItems: most,
      ...(next ? { NextRecordName: formatName(next.name), NextRecordType: next.type } : {}),
    };
    return { document: ['ListResourceRecordSetsResponse', content] };
  }

  function accountLimit(type: string) {
    if (type !== 'MAX_HOSTED_ZONES_BY_OWNER') throw invalid(`${type} is no limit of this emulator`);
    return { Limit: { Type: type, Value: AWS_LIMITS.route53Zones.value }, Count: zones.length };
  }

  function route({ method, path, query, body }: WireRequest): XmlResponse {
    const [, , collection = '', id = '', part = ''] = path.split('/');
    throttle('route53Rate');
    switch (`${method} ${collection}${id ? '/id' : ''}${part ? `/${part}` : ''}`) {
      case 'POST hostedzone':
        return create(body);
      case 'GET accountlimit/id':
        return { document: ['GetAccountLimitResponse', accountLimit(id)] };
      case 'GET hostedzonesbyname':
        return listByName(query);
      case 'GET hostedzone/id':
        return {
          document: ['GetHostedZoneResponse', showDelegated(find(id))],
        };
      case 'DELETE hostedzone/id':
        return remove(find(id));
      case 'GET hostedzone/id/rrset':
        return listSets(find(id), query);
      case 'POST hostedzone/id/rrset': {
        const zone = find(id);
        const sets = applyChanges(zone, changesOf(body));
        if (strict && sets.length > AWS_LIMITS.route53ZoneRecordSets.value)
          throw invalid(`Number of records limit of ${AWS_LIMITS.route53ZoneRecordSets.value} exceeded`);
        zone.sets = sets;
        state.save();
        return { document: ['ChangeResourceRecordSetsResponse', { ChangeInfo: CHANGE_INFO }] };
      }
      default:
        throw new ServiceError('InvalidAction', `${method} ${path} is not supported by this emulator.`, 404);
    }
  }

  const emulator = await serveXml(port, NAMESPACE, route);
  return {
    ...emulator,
    zoneOf(name) {
      const above = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
      return above.sort((a, b) => b.name.length - a.name.length)[0];
    },
  };
}
