/** An item as it is stored, without the types of its attributes. */
type Stored = Readonly<Record<string, unknown>>;

/** The change that a migration makes to an item. */
interface Step {
  set?: Record<string, unknown>;
  remove?: readonly string[];
  /**
   * The new key of an item that moves. Readers do not look under the old key. Such a migration must therefore finish before the first
   * request, as in the local run, or follow a release whose readers look under both keys.
   */
  key?: { pk: string; sk: string };
}

/**
 * Migrates the items of an entity from the previous version to this one (docs/decisions/0050-mixed-versions.md). Items are migrated in
 * memory when they are read, and rewritten in the background (domain/processes/migrate.ts).
 */
export interface Migration {
  /** The number and name of its file, which must never change. */
  name: string;
  /** The entity's type. */
  entity: string;
  /** The version of the migrated items: 2 for the first migration of an entity. */
  to: number;
  /** The attributes (texts or numbers) that `forward` reads. The migration of an item is repeated if one of them changed meanwhile. */
  reads: readonly string[];
  /** Returns the change of an item; undefined for an item that needs none. */
  forward(item: Stored): Step | undefined;
}

/** Returns a stored item in the newest version of its entity. */
export function bringForward(migrations: readonly Migration[], stored: Stored): Stored {
  let item = stored;
  for (const { to, forward } of migrations) {
    if (versionOf(item) >= to) continue;
    const { set = {}, remove = [] } = forward(item) ?? {};
    const kept = Object.entries(item).filter(([name]) => !remove.includes(name));
    item = { ...Object.fromEntries(kept), ...set, entityVersion: to };
  }
  return item;
}

/** Returns the version of a stored item. Items without one have version 1. */
export const versionOf = ({ entityVersion }: Stored): number => (typeof entityVersion === 'number' ? entityVersion : 1);
