import * as z from 'zod/mini';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/deps.ts';
import { parseManualInput } from '../../domain/operator/manual-input.ts';
import { deps } from '../deps.ts';
import { step } from './step.ts';

/**
 * Creates the handler of a Lambda function that operators invoke manually. Its commits add audit entries with an operator as the
 * actor and the `reason` from the input.
 */
export const operatorFunction = <T, R>(schema: z.ZodMiniType<T>, act: (deps: Deps, input: T) => Promise<R>) =>
  step(z.unknown(), async (event) => {
    const { input, ...reason } = parseManualInput(schema, event);
    return await act({ ...deps, commit: committing(deps, { ...BY_OPERATOR, ...reason }) }, input);
  });
