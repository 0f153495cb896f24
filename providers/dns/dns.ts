import {
  type Change,
  ChangeResourceRecordSetsCommand,
  CreateHostedZoneCommand,
  DeleteHostedZoneCommand,
  GetHostedZoneCommand,
  type GetHostedZoneCommandOutput,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  type Route53Client,
  type RRType,
} from '@aws-sdk/client-route-53';
import { NAME_SERVER_LIMITS } from '../../contract/dns/limits.ts';
import { tolerate } from '../aws-errors.ts';
import { throwingBusy } from './busy.ts';

/** All records of one name and type. */
export interface RecordSet {
  /** The full name in lower case, without the trailing dot. */
  name: string;
  type: string;
  ttl: number;
  /** In zone file notation: names end in a dot, texts are quoted. */
  values: string[];
  /** Instead of values: a CloudFront name to whose addresses this name resolves, which also works at the zone apex. The ttl is then 0. */
  alias?: string;
}

export interface HostedZone {
  id: string;
  nameservers: string[];
}

export interface DnsChange {
  action: 'UPSERT' | 'DELETE';
  /** The record set. For a deletion it must equal the existing record set exactly. */
  set: RecordSet;
}

/** The platform's authoritative DNS. Every method throws `NameServersBusy` (busy.ts) if the service throttles it. */
export interface Dns {
  /**
   * Returns the zone of a domain; creates it if it does not exist.
   * @param reference makes the creation idempotent: the same for a repeated call
   * @param delegatedTo the name servers at the registry, which select the zone if several have the domain's name
   */
  ensureZone(domain: string, reference: string, delegatedTo: readonly string[]): Promise<HostedZone>;
  /** Finds the zone of a domain as `ensureZone` does. */
  findZone(domain: string, delegatedTo: readonly string[]): Promise<HostedZone | undefined>;
  /** Reads the name servers of a zone; undefined if there is no such zone. */
  nameservers(zoneId: string): Promise<string[] | undefined>;
  /** Deletes a zone without records; does nothing if there is no such zone. */
  deleteZone(zoneId: string): Promise<void>;
  /** Reads a zone's record sets, except the SOA and NS sets of the domain itself. */
  recordSets(zoneId: string, domain: string): Promise<RecordSet[]>;
  /** Applies the changes in order. Those of one request are applied all or not at all. */
  change(zoneId: string, changes: readonly DnsChange[]): Promise<void>;
}

/** `\052.example.com.` → `*.example.com` */
const plainName = (name: string): string =>
  name
    .replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();

const charactersOf = ({ set }: DnsChange): number =>
  set.values.reduce((sum, value) => sum + value.length, set.name.length);
const valuesOf = ({ set }: DnsChange): number => Math.max(1, set.values.length);

/** Splits changes, in order, into parts that fit into one request each. */
function splitChanges(changes: readonly DnsChange[]): DnsChange[][] {
  const { requestCharacters, requestValues } = NAME_SERVER_LIMITS;
  const parts: DnsChange[][] = [];
  let characters = 0;
  let values = 0;
  for (const change of changes) {
    const part = parts.at(-1);
    characters += charactersOf(change);
    values += valuesOf(change);
    if (part && characters <= requestCharacters && values <= requestValues) {
      part.push(change);
    } else {
      parts.push([change]);
      characters = charactersOf(change);
      values = valuesOf(change);
    }
  }
  return parts;
}

/** The hosted zone id of all CloudFront names, a constant of AWS (Route 53, AliasTarget). */
const CLOUDFRONT_ZONE = 'Z2FDTNDATAQYW2';

const wireChange = ({ action, set }: DnsChange): Change => ({
  Action: action,
  ResourceRecordSet: {
    Name: `${set.name}.`,
    Type: set.type as RRType,
    ...(set.alias
      ? { AliasTarget: { HostedZoneId: CLOUDFRONT_ZONE, DNSName: `${set.alias}.`, EvaluateTargetHealth: false } }
      : { TTL: set.ttl, ResourceRecords: set.values.map((Value) => ({ Value })) }),
  },
});

/** Maximum zones of one name that are considered. The zone of an earlier registration may still exist next to the registrar's new one. */
const MAX_NAMESAKES = 10;

/** Amazon Route 53 implementation: a public hosted zone for each domain. */
export function createDns(client: Route53Client): Dns {
  const { ensureZone, findZone, nameservers, deleteZone, recordSets, change } = callRoute53(client);
  return {
    ensureZone: throwingBusy(ensureZone),
    findZone: throwingBusy(findZone),
    nameservers: throwingBusy(nameservers),
    deleteZone: throwingBusy(deleteZone),
    recordSets: throwingBusy(recordSets),
    change: throwingBusy(change),
  };
}

function callRoute53(client: Route53Client): Dns {
  const toZone = ({ HostedZone, DelegationSet }: GetHostedZoneCommandOutput, domain: string): HostedZone => {
    const id = HostedZone?.Id?.replace('/hostedzone/', '');
    if (!id) throw new Error(`Route 53 returned no zone for ${domain}`);
    return { id, nameservers: (DelegationSet?.NameServers ?? []).map(plainName) };
  };

  async function findZone(domain: string, delegatedTo: readonly string[]): Promise<HostedZone | undefined> {
    const named = new ListHostedZonesByNameCommand({ DNSName: domain, MaxItems: MAX_NAMESAKES });
    const { HostedZones = [] } = await client.send(named);
    const ids = HostedZones.filter(({ Name, Config }) => Name === `${domain}.` && !Config?.PrivateZone);
    const zones = await Promise.all(
      ids.map(async ({ Id }) => toZone(await client.send(new GetHostedZoneCommand({ Id })), domain)),
    );
    const delegated = new Set(delegatedTo.map(plainName));
    return zones.find(({ nameservers }) => nameservers.some((host) => delegated.has(host))) ?? zones[0];
  }

  return {
    findZone,

    async ensureZone(domain, reference, delegatedTo) {
      // The registrar creates a zone when it registers a domain; the platform uses that zone.
      const found = await findZone(domain, delegatedTo);
      if (found) return found;
      const command = new CreateHostedZoneCommand({ Name: domain, CallerReference: reference });
      return toZone(await client.send(command), domain);
    },

    async nameservers(zoneId) {
      const command = new GetHostedZoneCommand({ Id: zoneId });
      const zone = await tolerate(client.send(command), { NoSuchHostedZone: undefined });
      return zone && (zone.DelegationSet?.NameServers ?? []).map(plainName);
    },

    async deleteZone(zoneId) {
      await tolerate(client.send(new DeleteHostedZoneCommand({ Id: zoneId })), { NoSuchHostedZone: undefined });
    },

    async recordSets(zoneId, domain) {
      const sets: RecordSet[] = [];
      let from: { StartRecordName?: string; StartRecordType?: RRType } = {};
      for (;;) {
        const page = await client.send(
          new ListResourceRecordSetsCommand({ HostedZoneId: zoneId, MaxItems: 300, ...from }),
        );
        for (const { Name = '', Type = 'A', TTL = 0, ResourceRecords = [], AliasTarget } of page.ResourceRecordSets ??
          []) {
          const name = plainName(Name);
          if (name === domain && (Type === 'SOA' || Type === 'NS')) continue;
          const alias = AliasTarget?.DNSName ? { alias: plainName(AliasTarget.DNSName) } : {};
          sets.push({ name, type: Type, ttl: TTL, values: ResourceRecords.map(({ Value = '' }) => Value), ...alias });
        }
        if (!page.IsTruncated || !page.NextRecordName || !page.NextRecordType) return sets;
        from = { StartRecordName: page.NextRecordName, StartRecordType: page.NextRecordType };
      }
    },

    async change(zoneId, changes) {
      for (const part of splitChanges(changes)) {
        const ChangeBatch = { Changes: part.map(wireChange) };
        await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: zoneId, ChangeBatch }));
      }
    },
  };
}
