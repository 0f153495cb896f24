import { NewAccountInput, openAccount } from '../../domain/accounts/accounts.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: creates an account with its first keys and returns their secrets once. */
export const handler = step(NewAccountInput, (input) => openAccount(deps, input));
