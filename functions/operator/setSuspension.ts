import { SuspensionInput, setSuspension } from '../../domain/processes/suspension.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: suspends an account or one of its applications with a reason, or lifts the suspension. */
export const handler = step(SuspensionInput(), (input) => setSuspension(deps, input));
