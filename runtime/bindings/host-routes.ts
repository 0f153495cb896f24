import { createHostRoutes } from '../../providers/edge/host-routes.ts';
import { required } from '../config.ts';

export const hostRoutes = createHostRoutes(required('APP_ROUTES_ARN'));
