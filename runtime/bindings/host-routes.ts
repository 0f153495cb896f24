import { HOME_CELL } from '../../domain/apps/cells.ts';
import { createRouteWriter } from '../../domain/apps/route-writer.ts';
import { createRouteStore } from '../../providers/edge/host-routes.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';
import { deps } from '../deps.ts';

export const hostRoutes = (cell?: RemoteCell) =>
  createRouteWriter(
    deps,
    cell?.id ?? HOME_CELL,
    createRouteStore(cell?.routesArn ?? required('APP_ROUTES_ARN'), cell?.access),
  );
