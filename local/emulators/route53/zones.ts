import * as z from 'zod';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { ServiceError } from '../wire.ts';
import { parseXml } from '../xml.ts';

const RecordSet = z.object({
  /** In lower case, without the trailing dot. */
  name: z.string(),
  type: z.string(),
  ttl: z.number(),
  /** In the notation of zone files. */
  values: z.array(z.string()),
  /** The name whose addresses this name has. Replaces the values. */
  alias: z.string().optional(),
});
export type RecordSet = z.output<typeof RecordSet>;
export const Zone = z.object({ id: z.string(), name: z.string(), reference: z.string(), sets: z.array(RecordSet) });
export type Zone = z.output<typeof Zone>;

/** Returns a name in lower case, without octal codes and the trailing dot. */
export const normalizeName = (name: string): string =>
  name
    .replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    .replace(/\.$/, '')
    .toLowerCase();
/** Returns the sort key of Route 53's order: labels from last to first. */
export const sortKey = (name: string, type: string): string => `${name.split('.').reverse().join('.')}. ${type}`;

/** Returns the error for an invalid change. */
export const invalid = (message: string) => new ServiceError('InvalidChangeBatch', `[${message}]`);

const HOST = /^([a-z0-9_-]{1,63}\.)+$/i;
/** A string of at most 255 bytes, of which an octal code is one. Characters other than ASCII are written as codes. */
const TEXT = /"([ !#-[\]-~]|\\\d{3}|\\\D){0,255}"/.source;
const VALUES: Record<string, RegExp> = {
  A: /^\d+\.\d+\.\d+\.\d+$/,
  AAAA: /^[0-9a-f:.]+$/i,
  CNAME: HOST,
  NS: HOST,
  MX: /^\d{1,5} (\.|([a-z0-9_-]{1,63}\.)+)$/i,
  SRV: /^\d{1,5} \d{1,5} \d{1,5} (\.|([a-z0-9_-]{1,63}\.)+)$/i,
  CAA: /^\d{1,3} [a-z]+ "[^"]*"$/,
  TXT: new RegExp(`^${TEXT}( ${TEXT})*$`),
};

// An UPSERT counts its values and their characters twice.
const MAX_VALUE_CHARACTERS = AWS_LIMITS.route53ValueCharacters.value;
const MAX_SET_VALUES = AWS_LIMITS.route53SetValues.value;
const MAX_REQUEST_VALUES = AWS_LIMITS.route53RequestValues.value;
const MAX_REQUEST_CHARACTERS = AWS_LIMITS.route53RequestCharacters.value;

interface Change {
  action: string;
  set: RecordSet;
}

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

/** Returns the changes of a request. */
export const changesOf = (body: Buffer): Change[] =>
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

/** Throws if a request exceeds Route 53's limits. */
function checkLimits(changes: readonly Change[]): void {
  const total = (countOf: (values: string[]) => number) =>
    changes.reduce((sum, { action, set }) => sum + countOf(set.values) * (action === 'UPSERT' ? 2 : 1), 0);
  const values = total((setValues) => setValues.length);
  const characters = total((setValues) => setValues.join('').length);
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

/**
 * Throws if a record set is invalid, or conflicts with the zone's other sets.
 * @param action the beginning of the error message: the attempted change
 */
function checkSet({ name, type, ttl, values, alias }: RecordSet, others: Iterable<RecordSet>, action: string): void {
  if (alias && (values.length > 0 || ttl > 0 || !['A', 'AAAA'].includes(type)))
    throw invalid(`${action} with an alias and something else`);
  if ((values.length === 0 && !alias) || new Set(values).size < values.length)
    throw invalid(`${action} with duplicate values or none`);
  const invalidValue = values.find((value) => !VALUES[type]?.test(value));
  if (invalidValue !== undefined) throw invalid(`${action}: value '${invalidValue}' is invalid`);
  const setsOfName = [...others].filter((other) => other.name === name && other.type !== type);
  if (setsOfName.some((other) => type === 'CNAME' || other.type === 'CNAME')) {
    throw invalid(`RRSet of type ${type} with DNS name ${name}. is not permitted as it conflicts with other records`);
  }
}

/** Throws unless the zone has the records of its own name without which Route 53 keeps no zone. */
function checkApex(zone: Zone, sets: ReadonlyMap<string, RecordSet>): void {
  if (!sets.has(sortKey(zone.name, 'NS')))
    throw invalid('A HostedZone must contain at least one NS record for the zone itself.');
  if (!sets.has(sortKey(zone.name, 'SOA'))) throw invalid('A HostedZone must contain exactly one SOA record.');
}

/** Returns a zone's record sets with all changes applied. Throws if one of the changes is invalid. */
export function applyChanges(zone: Zone, changes: readonly Change[]): RecordSet[] {
  checkLimits(changes);
  const sets = new Map(zone.sets.map((set) => [sortKey(set.name, set.type), set]));
  for (const { action, set } of changes) {
    const { name, type } = set;
    const key = sortKey(name, type);
    const attempt = `Tried to ${action.toLowerCase()} resource record set [name='${name}.', type='${type}']`;
    if (name !== zone.name && !name.endsWith(`.${zone.name}`))
      throw invalid(`${attempt}, but it is not in ${zone.name}.`);
    const known = sets.get(key);
    if (action === 'DELETE') {
      if (!known) throw invalid(`${attempt} but it was not found`);
      if (!isSame(known, set)) throw invalid(`${attempt} but the values provided do not match the current values`);
      sets.delete(key);
    } else {
      if (action === 'CREATE' && known) throw invalid(`${attempt} but it already exists`);
      checkSet(set, sets.values(), attempt);
      sets.set(key, set);
    }
  }
  checkApex(zone, sets);
  return [...sets.values()].sort((a, b) => (sortKey(a.name, a.type) < sortKey(b.name, b.type) ? -1 : 1));
}
