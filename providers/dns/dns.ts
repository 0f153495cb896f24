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
import { isAwsError } from '../aws-errors.ts';
import { namingBusy } from './busy.ts';

/** All records of one name and type, as name servers have them. */
export interface RecordSet {
  /** The full name, in lower case, without the last dot. */
  name: string;
  type: string;
  ttl: number;
  /** In the notation of zone files: names end in a dot, texts are quoted. */
  values: string[];
  /** In place of values, a name at CloudFront whose addresses are this one's: also at the zone apex. Its ttl is 0. */
  alias?: string;
}

export interface HostedZone {
  id: string;
  nameservers: string[];
}

export interface DnsChange {
  action: 'UPSERT' | 'DELETE';
  /** The record set; a deletion must match the present one exactly. */
  set: RecordSet;
}

/** The name servers of the world. Every method throws `NameServersBusy` (busy.ts) where they take no more requests. */
export interface Dns {
  /**
   * The zone of a domain, made if it is not there.
   * @param reference says that a repeat is the same wish
   * @param delegatedTo the name servers that the registry has: of several zones of that name, the one that they serve is taken
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
  /** Makes the changes in their order; all or none of what one request holds. */
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

/** In parts that one request each can hold; the order is kept. */
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

/** The zone that all names at CloudFront are in, the same for everybody (Route 53, AliasTarget). */
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

/** Zones of one name that are looked at: that of an earlier registration may still be there beside the registrar's new one. */
const MAX_NAMESAKES = 10;

/** Amazon Route 53: a public hosted zone for each domain. */
export function createDns(client: Route53Client): Dns {
  const { ensureZone, findZone, nameservers, deleteZone, recordSets, change } = callRoute53(client);
  return {
    ensureZone: namingBusy(ensureZone),
    findZone: namingBusy(findZone),
    nameservers: namingBusy(nameservers),
    deleteZone: namingBusy(deleteZone),
    recordSets: namingBusy(recordSets),
    change: namingBusy(change),
  };
}

function callRoute53(client: Route53Client): Dns {
  const toZone = ({ HostedZone, DelegationSet }: GetHostedZoneCommandOutput, domain: string): HostedZone => {
    const id = HostedZone?.Id?.replace('/hostedzone/', '');
    if (!id) throw new Error(`Route 53 gave no zone for ${domain}`);
    return { id, nameservers: (DelegationSet?.NameServers ?? []).map(plainName) };
  };

  async function findZone(domain: string, delegatedTo: readonly string[]): Promise<HostedZone | undefined> {
    const named = new ListHostedZonesByNameCommand({ DNSName: domain, MaxItems: MAX_NAMESAKES });
    const { HostedZones = [] } = await client.send(named);
    const ids = HostedZones.filter(({ Name, Config }) => Name === `${domain}.` && !Config?.PrivateZone);
    const zones = await Promise.all(
      ids.map(async ({ Id }) => toZone(await client.send(new GetHostedZoneCommand({ Id })), domain)),
    );
    const present = new Set(delegatedTo.map(plainName));
    return zones.find(({ nameservers }) => nameservers.some((each) => present.has(each))) ?? zones[0];
  }

  return {
    findZone,

    async ensureZone(domain, reference, delegatedTo) {
      // The registrar creates a zone when it registers a name: that zone is used.
      const found = await findZone(domain, delegatedTo);
      if (found) return found;
      const make = new CreateHostedZoneCommand({ Name: domain, CallerReference: reference });
      return toZone(await client.send(make), domain);
    },

    async nameservers(zoneId) {
      try {
        const { DelegationSet } = await client.send(new GetHostedZoneCommand({ Id: zoneId }));
        return (DelegationSet?.NameServers ?? []).map(plainName);
      } catch (error) {
        if (isAwsError(error, 'NoSuchHostedZone')) return undefined;
        throw error;
      }
    },

    async deleteZone(zoneId) {
      try {
        await client.send(new DeleteHostedZoneCommand({ Id: zoneId }));
      } catch (error) {
        if (!isAwsError(error, 'NoSuchHostedZone')) throw error;
      }
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
