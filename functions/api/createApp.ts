import { createApp as route } from '../../contract/apps/apps.ts';
import { createApp } from '../../domain/apps.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { secrets } from '../../runtime/secrets.ts';

/** POST /v1/apps */
export const handler = endpoint(route, createApp, { secrets });
