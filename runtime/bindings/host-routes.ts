import { createHostRoutes } from '../../providers/edge/host-routes.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

export const hostRoutes = (cell?: RemoteCell) =>
  createHostRoutes(cell?.routesArn ?? required('APP_ROUTES_ARN'), cell?.access);
