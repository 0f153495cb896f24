import { createHostingSession as route } from '../../contract/hosting/hosting.ts';
import { createHostingSession } from '../../domain/hosting/subscriptions.ts';
import { panel } from '../../runtime/bindings/hosting-panel.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/hosting/{id}/session */
export const handler = endpoint(route, createHostingSession, { panel, secrets, txt });
