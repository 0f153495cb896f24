import { setOffer as route } from '../../contract/operator/settings.ts';
import { setOffer } from '../../domain/operator/settings.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** PUT /operator/v1/offers/{name} */
export const handler = endpoint(route, setOffer);
