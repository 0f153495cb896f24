import * as z from 'zod/mini';
import { listQuarantined } from '../../domain/processes/quarantine.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: lists the quarantined items with their errors. */
export const handler = step(z.unknown(), () => listQuarantined(deps));
