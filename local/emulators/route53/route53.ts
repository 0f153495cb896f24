import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { openState } from '../state.ts';
import { createThrottle } from '../strict.ts';
import { type Emulator, type EmulatorOptions, ServiceError, type WireRequest } from '../wire.ts';
import { parseXml, serveXml, type XmlResponse } from '../xml.ts';
import { applyChanges, changesOf, invalid, normalizeName, type RecordSet, sortKey, Zone } from './zones.ts';

export interface Route53 extends Emulator {
  /** Returns the zone that is authoritative for a name in lower case: its closest enclosing zone. */
  zoneOf(name: string): Zone | undefined;
}

/** Returns the names of a zone's name servers. Each zone has different ones. */
const newNameservers = (id: string): string[] =>
  [1, 2, 3, 4].map((number) => `ns${number}-${id.slice(1, 9).toLowerCase()}.dns.localhost`);
const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';

/** Formats a name as Route 53 does: characters other than letters, digits, hyphens and underscores as octal codes. */
const formatName = (name: string): string =>
  `${name.replace(/[^a-z0-9._-]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)}.`;

const ZoneInput = z.object({ Name: z.string(), CallerReference: z.string() });
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
 * Starts an emulator of Amazon Route 53's zones and record sets, with its XML REST protocol. Zones survive a restart.
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
    const soa = `${nameservers[0]}. hostmaster.dns.localhost. 1 7200 900 1209600 86400`;
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
    const maxItems = Number(query.get('maxitems') ?? 100);
    const found = [...zones]
      .sort((a, b) => (sortKey(a.name, '') < sortKey(b.name, '') ? -1 : 1))
      .filter(({ name }) => sortKey(name, '') >= from);
    const content = {
      HostedZones: { HostedZone: found.slice(0, maxItems).map(showZone) },
      IsTruncated: found.length > maxItems,
      MaxItems: maxItems,
    };
    return { document: ['ListHostedZonesByNameResponse', content] };
  }

  function listSets(zone: Zone, query: URLSearchParams): XmlResponse {
    const maxItems = Number(query.get('maxitems') ?? 300);
    const from = query.has('name') ? sortKey(normalizeName(query.get('name') ?? ''), query.get('type') ?? '') : '';
    const found = zone.sets.filter(({ name, type }) => sortKey(name, type) >= from);
    const next = found[maxItems];
    const content = {
      ResourceRecordSets: { ResourceRecordSet: found.slice(0, maxItems).map(showSet) },
      IsTruncated: next !== undefined,
      MaxItems: maxItems,
      ...(next ? { NextRecordName: formatName(next.name), NextRecordType: next.type } : {}),
    };
    return { document: ['ListResourceRecordSetsResponse', content] };
  }

  function accountLimit(type: string) {
    if (type !== 'MAX_HOSTED_ZONES_BY_OWNER') throw invalid(`This emulator does not support the limit ${type}`);
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
      const enclosing = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
      return enclosing.sort((a, b) => b.name.length - a.name.length)[0];
    },
  };
}
