import * as z from 'zod/mini';
import { list, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';

/** Progress of a migration of stored items. */
const Migration = resource('Migration', () =>
  z.object({
    name: z.string(),
    status: z.string().register(z.globalRegistry, {
      description:
        'PENDING, RUNNING, DONE or FAILED. A failed migration could not change some items; it is retried every hour.',
    }),
    scanned: z.int(),
    changed: z.int(),
    failed: z.int(),
    failures: z.array(z.object({ pk: z.string(), sk: z.string(), error: z.string() })),
    startedAt: z.nullable(Timestamp()),
    finishedAt: z.nullable(Timestamp()),
  }),
);

export const listMigrations = /* @__PURE__ */ route({
  id: 'listMigrations',
  method: 'GET',
  path: '/operator/v1/migrations',
  access: 'operator',
  summary: 'List the migrations of stored items with their progress',
  tag: OPERATOR_TAG,
  response: () => list(Migration()),
});
