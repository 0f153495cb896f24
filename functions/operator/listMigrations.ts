import * as z from 'zod/mini';
import { readMigrations } from '../../domain/processes/migrate.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: shows the progress of the migrations of stored items, and the items that they could not change. */
export const handler = step(z.unknown(), () => readMigrations(deps));
