import { ManualSuspensionInput, suspendManually } from '../../domain/operator/suspensions.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: suspends an account, or one of its applications, keys or endpoints, with a reason, or lifts the suspension. */
export const handler = operatorFunction(ManualSuspensionInput(), suspendManually);
