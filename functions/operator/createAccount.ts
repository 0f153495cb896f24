import { NewAccountInput, openAccount } from '../../domain/accounts/accounts.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: creates an account with its first keys and returns their secrets once. */
export const handler = operatorFunction(NewAccountInput, (deps, input) => openAccount(deps, input));
