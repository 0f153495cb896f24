import * as z from 'zod/mini';
import { listQuarantined } from '../../domain/processes/quarantine.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: lists items that were taken out of their due queues, with their errors. */
export const handler = step(z.unknown(), () => listQuarantined(deps));
