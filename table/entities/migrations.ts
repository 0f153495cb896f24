import * as z from 'zod/mini';
import { entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The partition of all migration runs. */
export const MIGRATION_RUNS = key('MIGRATIONS');

/** The progress of a migration through the table (domain/processes/migrate.ts). */
export type MigrationRun = ItemOf<typeof MigrationRun>;
export const MigrationRun = /* @__PURE__ */ entity({
  type: 'MIGRATION_RUN',
  schema: () =>
    z.object({
      name: z.string(),
      /** `FAILED` after a run through the whole table in which some items could not be changed. The migration is then repeated. */
      status: oneOf(['RUNNING', 'DONE', 'FAILED']),
      /** The item after which it continues. */
      cursor: z.optional(object({ pk: z.string(), sk: z.string() })),
      /** The number of batches. A write requires the number that it read. */
      batches: z.int(),
      scanned: z.int(),
      changed: z.int(),
      failed: z.int(),
      /** The first items that could not be changed. */
      failures: z.array(object({ pk: z.string(), sk: z.string(), error: z.string() })),
      startedAt: z.string(),
      finishedAt: z.optional(z.string()),
    }),
  key: ({ name }: { name: string }) => ({ pk: MIGRATION_RUNS, sk: name }),
});
