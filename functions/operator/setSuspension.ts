import { SuspensionInput, setSuspension } from '../../domain/processes/suspension.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: suspends an account or one of its applications with a reason, or lifts the suspension. */
export const handler = byHand(SuspensionInput(), (deps, input) => setSuspension(deps, input));
