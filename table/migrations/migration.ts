/** An item as it is stored, without the types of its attributes. */
type Stored = Readonly<Record<string, unknown>>;

/** Changes of a migration to one item. */
interface Step {
  set?: Record<string, unknown>;
  remove?: readonly string[];
  /**
   * The item's new key, where it moves. Readers do not look under the old one: such a migration ends before the first request,
   * as in the local run, or comes a release after readers that look under both.
   */
  key?: { pk: string; sk: string };
}

/**
 * Brings the items of one entity from the version before to this one (docs/decisions/0050-mixed-versions.md). Items are brought
 * forward when they are read, and rewritten in the background (domain/processes/migrate.ts).
 */
export interface Migration {
  /** The number and name of its file; never changed. */
  name: string;
  /** The entity's type. */
  entity: string;
  /** The version of the items that it makes: 2 for the first migration of an entity. */
  to: number;
  /** The attributes, text or numbers, that `forward` reads: it is repeated where one changed meanwhile. */
  reads: readonly string[];
  /** Returns what must change; nothing for an item that is as it must be already. */
  forward(item: Stored): Step | undefined;
}

/** Returns a stored item as the entity's newest version has it. */
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

/** Returns the version of a stored item; those from before there were versions have the first. */
export const versionOf = ({ entityVersion }: Stored): number => (typeof entityVersion === 'number' ? entityVersion : 1);
