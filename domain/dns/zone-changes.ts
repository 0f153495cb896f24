import { createHash } from 'node:crypto';
import { MAX_RECORDS } from '../../contract/dns/records.ts';
import type { Zone } from '../../table/entities/dns.ts';
import { type Change, unchanged } from '../../table/expressions.ts';

/**
 * Changes of a zone by changes of its domain's records, and their conditions. The rules of a record concern the other records of its name
 * and the number of all. So additions with different names need not wait for each other: the zone counts the additions of each name and
 * the records (`changes`), and an addition is conditional on these.
 *
 * A change that does not keep these counts (by release 0.2.0, by a restore, or of an alias) only increments the zone's version. The counts
 * have a version too. While the two differ, a change is conditional on the zone's version, and begins the counts again.
 */

/** The number of groups of names with one count each. More would need more space, fewer would let more names compete. */
const NAME_GROUPS = 64;

/** Returns the attribute that counts the additions of a name. */
const groupOf = (name: string): string =>
  `changes.names.g${createHash('sha256').update(name).digest().readUInt8() % NAME_GROUPS}`;

type Versions = Pick<Zone, 'version' | 'changes'>;

/** Returns the change that is possible only while no other record has changed, whatever its name. @param count the records after it */
export const soleChange = ({ version }: Versions, count: number) =>
  ({
    set: { changes: { since: version + 1, version: version + 1, count, names: {} } },
    add: { version: 1 },
    when: { version: { is: version } },
  }) satisfies Change;

/** Returns the change by an added record. @param count the records after it, as they were read */
export function addition(zone: Versions, name: string, count: number) {
  const { version, changes } = zone;
  if (changes?.version !== version) return soleChange(zone, count);
  const group = groupOf(name);
  return {
    add: { version: 1, 'changes.version': 1, 'changes.count': 1, [group]: 1 },
    when: {
      version: { is: { attribute: 'changes.version' } },
      'changes.since': { is: changes.since },
      'changes.count': { below: MAX_RECORDS },
      [group]: unchanged(changes.names[group.slice('changes.names.'.length)]),
    },
  } satisfies Change;
}

/** Returns the change by a deleted record, which is possible whatever the other records are. */
export const deletion = ({ changes }: Versions) =>
  ({ add: { version: 1, ...(changes && { 'changes.version': 1, 'changes.count': -1 }) } }) satisfies Change;
