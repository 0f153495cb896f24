import { type CellProviders, HOME_CELL, type Placed, readCell } from '../domain/apps/cells.ts';
import { readThrough } from '../domain/cache/cache.ts';
import type { CellResources } from '../table/entities/cells.ts';
import { roleSession, type SessionCredentials } from './aws/role-session.ts';
import { type Credentials, config } from './config.ts';
import { deps } from './deps.ts';

/** A cell outside the platform's account or region, with the access to it. */
export interface RemoteCell extends CellResources {
  id: string;
  /** Settings for the SDK's clients and for `callAws`. */
  access: { region: string; credentials: () => Promise<SessionCredentials> };
}

/** Creates a provider for a cell. Without a cell, it uses the home cell with the function's role and variables. */
type Factory<T> = (cell?: RemoteCell) => T;
type Factories<K extends keyof CellProviders> = { readonly [P in K]: Factory<CellProviders[P]> };

/** The function that accesses cells. */
interface Worker {
  name: string;
  /** Credentials that may assume the function's roles in cells. Default: those of this process. */
  credentials?: () => Promise<Credentials>;
}

/** The time in milliseconds until a warm function notices a change of a cell by operators. */
const CELL_TTL_MS = 5 * 60_000;

/**
 * Returns a function that returns the providers of an item's cell (domain/apps/cells.ts). In a remote cell, this function uses a
 * role with its own name, which has the same permissions there as this function has at home.
 * @param worker the function on whose behalf a command works. Default: this function, whose name Lambda sets.
 */
export function cellsWith<K extends keyof CellProviders>(
  factories: Factories<K>,
  worker: Worker = { name: config.AWS_LAMBDA_FUNCTION_NAME ?? '' },
) {
  const createAll = (cell?: RemoteCell) =>
    Object.fromEntries(
      Object.entries<Factory<unknown>>(factories).map(([name, create]) => [name, create(cell)]),
    ) as Pick<CellProviders, K>;
  const home = createAll();
  const remote = readThrough<Pick<CellProviders, K>>({ max: 100, ttlMs: CELL_TTL_MS });
  return async ({ cellId = HOME_CELL }: Placed) =>
    cellId === HOME_CELL ? home : await remote(cellId, async () => createAll(await readRemoteCell(cellId, worker)));
}

async function readRemoteCell(cellId: string, worker: Worker): Promise<RemoteCell> {
  const { resources } = await readCell(deps, cellId);
  const { externalId, region, rolePrefix } = resources;
  const credentials = roleSession({ ...worker, roleArn: rolePrefix + worker.name, externalId });
  return { ...resources, id: cellId, access: { region, credentials } };
}
