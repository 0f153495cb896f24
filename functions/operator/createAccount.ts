import { NewAccountInput, openAccount } from '../../domain/accounts/accounts.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: creates an account with its first keys and returns their secrets once. */
export const handler = byHand(NewAccountInput, (deps, input) => openAccount(deps, input));
