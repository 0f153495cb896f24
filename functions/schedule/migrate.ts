import * as z from 'zod/mini';
import { migrate } from '../../domain/processes/migrate.ts';
import { deps } from '../../runtime/deps.ts';
import { reportMigrations } from '../../runtime/observability/migration-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Every minute: continues unfinished migrations of stored items. */
export const handler = step(z.unknown(), async () => reportMigrations(await migrate(deps)));
