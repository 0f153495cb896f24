import { type CellProviders, HOME_CELL, type Placed, readCell } from '../domain/apps/cells.ts';
import { readThrough } from '../domain/cache/cache.ts';
import type { CellResources } from '../table/entities/cells.ts';
import { roleSession, type SessionCredentials } from './aws/role-session.ts';
import { type Credentials, config } from './config.ts';
import { deps } from './deps.ts';

/** A cell in an account or region of its own, with the means to reach it. */
export interface RemoteCell extends CellResources {
  id: string;
  /** Settings of the SDK's clients, and of `callAws`. */
  access: { region: string; credentials: () => Promise<SessionCredentials> };
}

/** Creates a provider in a cell; without one, in the home cell with the function's own role and variables. */
type Maker<T> = (cell?: RemoteCell) => T;
type Makers<K extends keyof CellProviders> = { readonly [P in K]: Maker<CellProviders[P]> };

/** The function that works in cells. */
interface Worker {
  name: string;
  /** Credentials that may assume its roles there. Default: those of this process. */
  credentials?: () => Promise<Credentials>;
}

/** Time in milliseconds until a warm function notices that operators changed a cell. */
const CELL_TTL_MS = 5 * 60_000;

/**
 * Returns the providers of a cell by what belongs to it (domain/apps/cells.ts). Another cell is reached through a role that has
 * the name of this function, and in that cell the rights that this function has at home.
 * @param worker another function, as which a command works there. Lambda sets the name of a function itself.
 */
export function cellsWith<K extends keyof CellProviders>(
  makers: Makers<K>,
  worker: Worker = { name: config.AWS_LAMBDA_FUNCTION_NAME ?? '' },
) {
  const create = (cell?: RemoteCell) =>
    Object.fromEntries(Object.entries<Maker<unknown>>(makers).map(([name, make]) => [name, make(cell)])) as Pick<
      CellProviders,
      K
    >;
  const home = create();
  const others = readThrough<Pick<CellProviders, K>>({ max: 100, ttlMs: CELL_TTL_MS });
  return async ({ cellId = HOME_CELL }: Placed) =>
    cellId === HOME_CELL ? home : await others(cellId, async () => create(await reach(cellId, worker)));
}

async function reach(cellId: string, worker: Worker): Promise<RemoteCell> {
  const { resources } = await readCell(deps, cellId);
  const { externalId, region, rolePrefix } = resources;
  const credentials = roleSession({ ...worker, roleArn: rolePrefix + worker.name, externalId });
  return { ...resources, id: cellId, access: { region, credentials } };
}
