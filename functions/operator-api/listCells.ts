import { listCells as route } from '../../contract/operator/cells.ts';
import { listCells } from '../../domain/operator/moves.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /operator/v1/cells */
export const handler = endpoint(route, listCells);
