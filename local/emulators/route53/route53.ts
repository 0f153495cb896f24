import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { element, elements, escapeXml, textOf } from '../../stand-ins/xml.ts';
import { openState } from '../state.ts';
import { ServiceError, type StandIn, type StandInOptions, serve, type WireAnswer, type WireRequest } from '../wire.ts';

const RecordSet = z.object({
  /** In lower case, without the last dot. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  /** In the notation of zone files. */
  values: z.array(z.string()),
  /** In place of values: the name whose addresses are this one's. */
  alias: z.string().optional(),
});
export type RecordSet = z.output<typeof RecordSet>;
const Zone = z.object({ id: z.string(), name: z.string(), reference: z.string(), sets: z.array(RecordSet) });
export type Zone = z.output<typeof Zone>;

export interface Route53 extends StandIn {
  /** The zone that answers for a name (in lower case): the closest one above it. */
  zoneOf(name: string): Zone | undefined;
}

const NAMESERVERS = ['ns1.dns.localhost', 'ns2.dns.localhost', 'ns3.dns.localhost', 'ns4.dns.localhost'];
const NAMESPACE = 'https://route53.amazonaws.com/doc/2013-04-01/';
const answer = (root: string, inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">${inside}</${root}>`;

const plain = (name: string): string =>
  name
    .replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();
/** As Route 53 shows names: what is not a letter, digit, hyphen or underscore as an octal number. */
const shown = (name: string): string =>
  `${name.replace(/[^a-z0-9._-]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`)}.`;

/** Route 53 sorts names by their labels from the last on. */
const order = (name: string, type: string): string => `${name.split('.').reverse().join('.')}. ${type}`;

const invalid = (message: string) => new ServiceError('InvalidChangeBatch', `[${message}]`);

const HOST = /^([a-z0-9_-]{1,63}\.)+$/i;
const TEXTS = /^"([^"\\]|\\.){0,1020}"( "([^"\\]|\\.){0,1020}")*$/;
const VALUES: Record<string, RegExp> = {
  A: /^\d+\.\d+\.\d+\.\d+$/,
  AAAA: /^[0-9a-f:.]+$/i,
  CNAME: HOST,
  NS: HOST,
  MX: /^\d{1,5} ([a-z0-9_-]{1,63}\.)+$/i,
  SRV: /^\d{1,5} \d{1,5} \d{1,5} ([a-z0-9_-]{1,63}\.)+$/i,
  CAA: /^\d{1,3} [a-z]+ "[^"]*"$/,
  TXT: TEXTS,
};

interface Change {
  action: string;
  set: RecordSet;
}

function changesOf(body: string): Change[] {
  return elements(body, 'Change').map((change) => {
    const alias = plain(textOf(change, 'DNSName'));
    return {
      action: textOf(change, 'Action'),
      set: {
        name: plain(textOf(change, 'Name')),
        type: textOf(change, 'Type'),
        ttl: Number(textOf(change, 'TTL')),
        values: elements(change, 'ResourceRecord').map((record) => textOf(record, 'Value')),
        ...(alias ? { alias } : {}),
      },
    };
  });
}

const same = (a: RecordSet, b: RecordSet): boolean =>
  a.ttl === b.ttl &&
  a.alias === b.alias &&
  JSON.stringify([...a.values].sort()) === JSON.stringify([...b.values].sort());

/** All changes or none; returns the zone's sets as they are then. */
function changed(zone: Zone, changes: readonly Change[]): RecordSet[] {
  const sets = new Map(zone.sets.map((set) => [order(set.name, set.type), set]));
  for (const { action, set } of changes) {
    const { name, type, values } = set;
    const what = `Tried to ${action.toLowerCase()} resource record set [name='${name}.', type='${type}']`;
    if (name !== zone.name && !name.endsWith(`.${zone.name}`)) throw invalid(`${what}, but it is not in ${zone.name}.`);
    const known = sets.get(order(name, type));
    if (action === 'DELETE') {
      if (!known) throw invalid(`${what} but it was not found`);
      if (!same(known, set)) throw invalid(`${what} but the values provided do not match the current values`);
      sets.delete(order(name, type));
      continue;
    }
    if (action === 'CREATE' && known) throw invalid(`${what} but it already exists`);
    if (set.alias && (values.length > 0 || set.ttl > 0 || !['A', 'AAAA'].includes(type)))
      throw invalid(`${what} with an alias and something else`);
    if ((values.length === 0 && !set.alias) || new Set(values).size < values.length)
      throw invalid(`${what} with duplicate values or none`);
    const wrong = values.find((value) => !VALUES[type]?.test(value));
    if (wrong !== undefined) throw invalid(`${what}: value '${wrong}' is invalid`);
    const beside = [...sets.values()].filter((other) => other.name === name && other.type !== type);
    if (beside.some((other) => type === 'CNAME' || other.type === 'CNAME')) {
      throw invalid(`RRSet of type ${type} with DNS name ${name}. is not permitted as it conflicts with other records`);
    }
    sets.set(order(name, type), set);
  }
  return [...sets.values()].sort((a, b) => (order(a.name, a.type) < order(b.name, b.type) ? -1 : 1));
}

const showSet = ({ name, type, ttl, values, alias }: RecordSet): string =>
  element(
    'ResourceRecordSet',
    element('Name', escapeXml(shown(name))) +
      element('Type', type) +
      (alias === undefined
        ? element('TTL', String(ttl)) +
          element(
            'ResourceRecords',
            values.map((value) => element('ResourceRecord', element('Value', escapeXml(value)))).join(''),
          )
        : element(
            'AliasTarget',
            element('HostedZoneId', 'Z2FDTNDATAQYW2') +
              element('DNSName', shown(alias)) +
              element('EvaluateTargetHealth', 'false'),
          )),
  );

const showZone = ({ id, name, reference, sets }: Zone): string =>
  element(
    'HostedZone',
    element('Id', `/hostedzone/${id}`) +
      element('Name', `${name}.`) +
      element('CallerReference', escapeXml(reference)) +
      element('Config', element('PrivateZone', 'false')) +
      element('ResourceRecordSetCount', String(sets.length)),
  );

const DELEGATION = element(
  'DelegationSet',
  element('NameServers', NAMESERVERS.map((name) => element('NameServer', name)).join('')),
);

const CHANGE_INFO = element(
  'ChangeInfo',
  element('Id', '/change/C0') + element('Status', 'INSYNC') + element('SubmittedAt', '2020-01-01T00:00:00Z'),
);

/** Amazon Route 53, as far as zones and their record sets go: its REST protocol in XML. The zones are on disk. */
export async function startRoute53({ dataDir, port }: StandInOptions): Promise<Route53> {
  const state = openState(join(dataDir, 'route53.json'), z.object({ zones: z.array(Zone) }), { zones: [] });
  const { zones } = state.value;

  const find = (id: string): Zone => {
    const zone = zones.find((each) => each.id === id);
    if (!zone) throw new ServiceError('NoSuchHostedZone', `No hosted zone found with ID: ${id}`, 404);
    return zone;
  };

  function create(body: string): WireAnswer {
    const name = plain(textOf(body, 'Name'));
    const reference = textOf(body, 'CallerReference');
    if (zones.some((zone) => zone.reference === reference)) {
      throw new ServiceError('HostedZoneAlreadyExists', `A hosted zone was made with this caller reference.`, 409);
    }
    const soa = `${NAMESERVERS[0]}. hostmaster.dns.localhost. 1 7200 900 1209600 300`;
    const sets = [
      { name, type: 'NS', ttl: 172_800, values: NAMESERVERS.map((each) => `${each}.`) },
      { name, type: 'SOA', ttl: 900, values: [soa] },
    ];
    const zone = { id: `Z${randomBytes(8).toString('hex').toUpperCase()}`, name, reference, sets };
    zones.push(zone);
    state.save();
    return { status: 201, body: answer('CreateHostedZoneResponse', showZone(zone) + CHANGE_INFO + DELEGATION) };
  }

  function listByName(query: URLSearchParams): WireAnswer {
    const from = order(plain(query.get('dnsname') ?? ''), '');
    const most = Number(query.get('maxitems') ?? 100);
    const found = [...zones]
      .sort((a, b) => (order(a.name, '') < order(b.name, '') ? -1 : 1))
      .filter(({ name }) => order(name, '') >= from);
    const inside =
      element('HostedZones', found.slice(0, most).map(showZone).join('')) +
      element('IsTruncated', String(found.length > most)) +
      element('MaxItems', String(most));
    return { body: answer('ListHostedZonesByNameResponse', inside) };
  }

  function listSets(zone: Zone, query: URLSearchParams): WireAnswer {
    const most = Number(query.get('maxitems') ?? 300);
    const from = query.has('name') ? order(plain(query.get('name') ?? ''), query.get('type') ?? '') : '';
    const found = zone.sets.filter(({ name, type }) => order(name, type) >= from);
    const next = found[most];
    const inside =
      element('ResourceRecordSets', found.slice(0, most).map(showSet).join('')) +
      element('IsTruncated', String(next !== undefined)) +
      element('MaxItems', String(most)) +
      (next ? element('NextRecordName', escapeXml(shown(next.name))) + element('NextRecordType', next.type) : '');
    return { body: answer('ListResourceRecordSetsResponse', inside) };
  }

  function route({ method, path, query, body }: WireRequest): WireAnswer {
    const text = body.toString('utf8');
    const [, , collection = '', id = '', part = ''] = path.split('/');
    switch (`${method} ${collection}${id ? '/id' : ''}${part ? `/${part}` : ''}`) {
      case 'POST hostedzone':
        return create(text);
      case 'GET hostedzonesbyname':
        return listByName(query);
      case 'GET hostedzone/id':
        return { body: answer('GetHostedZoneResponse', showZone(find(id)) + DELEGATION) };
      case 'GET hostedzone/id/rrset':
        return listSets(find(id), query);
      case 'POST hostedzone/id/rrset': {
        const zone = find(id);
        zone.sets = changed(zone, changesOf(text));
        state.save();
        return { body: answer('ChangeResourceRecordSetsResponse', CHANGE_INFO) };
      }
      default:
        throw new ServiceError('InvalidAction', `${method} ${path} is not part of this stand-in.`, 404);
    }
  }

  const standIn = await serve(port, 'text/xml', (request) => {
    try {
      const { body, ...rest } = route(request);
      return { ...rest, body: Buffer.from(String(body)) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { name, message, status } = error;
      const said = element('Type', 'Sender') + element('Code', name) + element('Message', escapeXml(message));
      return {
        status,
        body: Buffer.from(answer('ErrorResponse', element('Error', said) + element('RequestId', 'local'))),
      };
    }
  });
  return {
    ...standIn,
    zoneOf(name) {
      const above = zones.filter((zone) => name === zone.name || name.endsWith(`.${zone.name}`));
      return above.sort((a, b) => b.name.length - a.name.length)[0];
    },
  };
}
