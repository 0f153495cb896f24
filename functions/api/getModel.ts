import { getModel as route } from '../../contract/ai/gateway.ts';
import { getModel } from '../../domain/ai/models.ts';
import { offer } from '../../runtime/bindings/ai.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /ai/v1/models/{id+} */
export const handler = endpoint(route, getModel, { offer });
