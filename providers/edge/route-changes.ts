import { entryOf } from '../../contract/enums.ts';

/** A change of the routes of host names, as data: it can be stored, and applied by another process than the one that requested it. */
export interface RouteChange {
  kind: 'point' | 'pointIfUnset' | 'suspend' | 'resume' | 'remove';
  hosts: readonly string[];
  /** Of `point` and `pointIfUnset`. */
  target?: string | undefined;
}

/** Returns the key of the entry that makes a host name serve the page of suspended applications, whatever its route is. */
const suspensionOf = (host: string): string => `suspended:${host}`;

interface Rule {
  keys(hosts: readonly string[]): string[];
  /** Returns the new value of a key; null to delete it. */
  next(present: string | null, target: string): string | null;
}

const RULES: Record<string, Rule> = {
  point: { keys: (hosts) => [...hosts], next: (_, target) => target },
  pointIfUnset: { keys: (hosts) => [...hosts], next: (present, target) => present ?? target },
  suspend: { keys: (hosts) => hosts.map(suspensionOf), next: () => 'true' },
  resume: { keys: (hosts) => hosts.map(suspensionOf), next: () => null },
  remove: { keys: (hosts) => [...hosts, ...hosts.map(suspensionOf)], next: () => null },
} satisfies Record<RouteChange['kind'], Rule>;

function ruleOf({ kind }: RouteChange): Rule {
  const rule = entryOf(RULES, kind);
  // A newer version of the platform has requested the change, and that version will apply it.
  if (!rule) throw new Error(`this version does not know the route change ${kind}`);
  return rule;
}

/** Returns the keys of the store that a change affects. */
export const keysOf = (change: RouteChange): string[] => ruleOf(change).keys(change.hosts);

/** Returns the keys and values to write for changes applied in order. Applying the same changes again writes nothing. */
export function effectOf(
  changes: readonly RouteChange[],
  present: ReadonlyMap<string, string | null>,
): Map<string, string | null> {
  const after = new Map(present);
  for (const change of changes) {
    const { keys, next } = ruleOf(change);
    for (const key of keys(change.hosts)) after.set(key, next(after.get(key) ?? null, change.target ?? ''));
  }
  return new Map([...after].filter(([key, value]) => value !== (present.get(key) ?? null)));
}

/** Returns the number of leading changes that together affect at most `maxKeys` keys; at least 1. */
export function countWithin(changes: readonly RouteChange[], maxKeys: number): number {
  const keys = new Set<string>();
  const end = changes.findIndex((change, index) => {
    for (const key of keysOf(change)) keys.add(key);
    return index > 0 && keys.size > maxKeys;
  });
  return end === -1 ? changes.length : end;
}
