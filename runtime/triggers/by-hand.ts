import * as z from 'zod/mini';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/deps.ts';
import { readByHand } from '../../domain/operator/by-hand.ts';
import { deps } from '../deps.ts';
import { step } from './step.ts';

/** Creates the handler of a Lambda that operators invoke by hand. What it commits leaves an entry of an operator, with the `reason` of its input. */
export const byHand = <T, R>(schema: z.ZodMiniType<T>, act: (deps: Deps, input: T) => Promise<R>) =>
  step(z.unknown(), async (event) => {
    const { input, ...reason } = readByHand(schema, event);
    return await act({ ...deps, commit: committing(deps, { ...BY_OPERATOR, ...reason }) }, input);
  });
