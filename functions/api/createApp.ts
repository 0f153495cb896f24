import { createApp as route } from '../../contract/apps/apps.ts';
import { createApp } from '../../domain/processes/create-app.ts';
import { cells } from '../../runtime/bindings/cells.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /v1/apps */
export const handler = endpoint(route, createApp, { secrets, cells });
