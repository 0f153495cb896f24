import { invalidField } from '../../contract/errors.ts';
import type { AppAccess } from '../../providers/app-host/app-access.ts';
import type { AppHost } from '../../providers/app-host/app-host.ts';
import type { CapacityMeter } from '../../providers/app-host/cell-capacity.ts';
import type { AppLogs } from '../../providers/app-host/logs.ts';
import type { AppMetrics } from '../../providers/app-host/metrics.ts';
import type { AppRequests } from '../../providers/app-host/requests.ts';
import type { AppStarts } from '../../providers/app-host/starts.ts';
import type { EdgeCertificates } from '../../providers/edge/certificates.ts';
import type { HostRoutes } from '../../providers/edge/host-routes.ts';
import type { DistributionTenants } from '../../providers/edge/tenants.ts';
import type { QuotaMeasure } from '../../providers/quotas/measures.ts';
import type { App } from '../../table/entities/apps.ts';
import { CELLS, Cell } from '../../table/entities/cells.ts';
import type { Deps } from '../deps.ts';

/**
 * Hosting cells (docs/decisions/0061-hosting-cells.md): AWS accounts and regions in which applications run, each with its own
 * concurrency, code, logs and edge. Domain code reaches the providers of a cell through {@link InCell} only.
 */

/** The cell in the platform's own account. Items without a cell are in it. */
export const HOME_CELL = 'home';

/** The providers of one cell. */
export interface CellProviders {
  appAccess: AppAccess;
  appHost: AppHost;
  appLogs: AppLogs;
  appMetrics: AppMetrics;
  appRequests: AppRequests;
  appStarts: AppStarts;
  hostRoutes: HostRoutes;
  edgeTenants: DistributionTenants;
  edgeCertificates: EdgeCertificates;
  /** The host name that custom domains must point to. */
  edgeEndpoint: string;
  capacityMeter: CapacityMeter;
  quotaMeasures: QuotaMeasure[];
  /** The ARN of an application's function up to the application's id. */
  functionArnPrefix: string;
}

/** An item that belongs to a cell; to {@link HOME_CELL} unless it names another. */
export interface Placed {
  cellId?: string | undefined;
}

/** Dependencies of a function that works in the cell of an item. */
export interface InCell<K extends keyof CellProviders> {
  /** Returns the providers of an item's cell. Throws for a cell that operators have not registered. */
  cellOf(item: Placed): Promise<Pick<CellProviders, K>>;
}

/** Returns the cell of an application's host names. It stays the same when the application moves, because the DNS of custom domains points there. */
export const edgeOf = ({ cellId, edgeCellId }: Pick<App, 'cellId' | 'edgeCellId'>): Placed => ({
  cellId: edgeCellId ?? cellId,
});

/** Returns the cells that hold resources of an application: more than one during a move. */
export const cellsInUse = ({ cellId, movingTo, drainingFrom }: Pick<App, 'cellId' | 'movingTo' | 'drainingFrom'>) =>
  [...new Set([cellId ?? HOME_CELL, movingTo, drainingFrom])].flatMap((id) =>
    id === undefined ? [] : [{ cellId: id }],
  );

/** Removes an application's function and logs from a cell. May be repeated. */
export async function removeFromCell(
  { cellOf }: InCell<'appHost' | 'appLogs'>,
  cell: Placed,
  applicationId: string,
): Promise<void> {
  const { appHost, appLogs } = await cellOf(cell);
  await appHost.remove(applicationId);
  await appLogs.remove(applicationId);
}

/** Returns all cells that operators have registered. */
export const listCells = ({ table }: Pick<Deps, 'table'>): Promise<Cell[]> => table.all(Cell, CELLS);

/** Returns the cells that are reachable, the home cell first, and whether each is open for new applications. */
export async function listReachableCells(deps: Pick<Deps, 'table'>): Promise<Pick<Cell, 'id' | 'open'>[]> {
  const others = (await listCells(deps)).filter(({ id, resources }) => id !== HOME_CELL && resources);
  return [{ id: HOME_CELL, open: true }, ...others];
}

/** Returns a cell with the resources that are needed to reach it. Throws for a cell that operators have not registered. */
export async function readCell({ table }: Pick<Deps, 'table'>, id: string) {
  const cell = await table.get(Cell, { id });
  if (!cell?.resources) throw new Error(`there is no hosting cell ${id}`);
  return { ...cell, resources: cell.resources };
}

/** Returns the host names on the platform's domains that an application has claimed. */
export const claimedHosts = ({ hosts, slugHost }: Pick<App, 'hosts' | 'slugHost'>): string[] =>
  slugHost === undefined ? hosts : [...hosts, slugHost];

/** The cell of a new application, and the parent domain of its default address. */
export interface Placement extends Placed {
  appsDomain: string;
}

/**
 * Chooses the cell of a new application: the open cell with the most free capacity at the last measurement. Without other cells
 * this is the home cell, which operators may close only while another one is open.
 */
export function placeApp({ settings }: Pick<Deps, 'settings'>, cells: readonly Cell[]): Placement {
  const home = cells.find(({ id }) => id === HOME_CELL) ?? { id: HOME_CELL, open: true };
  const others = cells.filter(({ id, open, resources }) => id !== HOME_CELL && open && resources);
  const [chosen] = [...(home.open ? [home] : []), ...others].sort((a, b) => (b.room ?? 0) - (a.room ?? 0));
  if (!chosen?.resources) return { appsDomain: settings.appsDomain };
  return { cellId: chosen.id, appsDomain: chosen.resources.appsDomain };
}

/**
 * Throws 400 for the parent domain of default addresses, and for any name below it.
 * @param field the name of the request's field
 */
export function assertNotPlatformDomain(
  { settings }: Pick<Deps, 'settings'>,
  cells: readonly Cell[],
  domain: string,
  field = 'customDomain',
): void {
  for (const ours of [settings.appsDomain, ...cells.flatMap(({ resources }) => resources?.appsDomain ?? [])])
    if (domain === ours || domain.endsWith(`.${ours}`))
      throw invalidField(field, `must be a domain of your own, not one under ${ours}`);
}
