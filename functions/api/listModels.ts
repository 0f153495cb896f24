import { listModels as route } from '../../contract/ai/gateway.ts';
import { listModels } from '../../domain/ai/models.ts';
import { offer } from '../../runtime/bindings/ai.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /ai/v1/models */
export const handler = endpoint(route, listModels, { offer });
