import { Host, verifiedHostsNear } from '../../table/entities/apps.ts';
import type { Entity } from '../../table/entity.ts';
import type { Deps } from '../deps.ts';

/** Number of items per read. */
const BATCH_SIZE = 50;

/** An index of host names, sorted by their labels in reverse (`nameListKeys`). */
interface NameList<T, K> {
  entity: Entity<T, K>;
  /** Returns the keys of a name in the index. */
  near(name: string): { listPk: string; listSk: string };
  nameOf(item: T): string;
}

/** The index of verified hosts. */
export const VERIFIED_HOSTS = { entity: Host, near: verifiedHostsNear, nameOf: ({ host }: Host) => host };

/** Returns the items of an index whose name is the domain itself or below it. */
export async function* eachBelow<T, K>(
  { table }: Pick<Deps, 'table'>,
  { entity, near, nameOf }: NameList<T, K>,
  domain: string,
): AsyncGenerator<T> {
  const { listPk, listSk } = near(domain);
  for (let from = listSk; ; ) {
    const items = await table.since(entity, listPk, from, BATCH_SIZE);
    for (const item of items) {
      const name = nameOf(item);
      if (name === domain || name.endsWith(`.${domain}`)) yield item;
    }
    const last = items.at(-1);
    if (!last || items.length < BATCH_SIZE) return;
    const reached = near(nameOf(last)).listSk;
    if (!reached.startsWith(listSk)) return;
    // A space sorts before every character of a name.
    from = `${reached} `;
  }
}
