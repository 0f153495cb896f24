import * as z from 'zod/mini';
import { readMigrations } from '../../domain/processes/migrate.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: shows how far the migrations of stored items are, and what they could not change. */
export const handler = step(z.unknown(), () => readMigrations(deps));
