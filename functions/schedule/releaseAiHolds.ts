import * as z from 'zod/mini';
import { releaseExpiredHolds } from '../../domain/ai/credits.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Every minute: gives back what calls held that died. */
export const handler = step(z.unknown(), () => releaseExpiredHolds(deps));
