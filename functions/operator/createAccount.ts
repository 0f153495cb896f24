import { openAccount } from '../../domain/accounts/accounts.ts';
import { NewAccountInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: opens an account with its first keys and shows their secrets, once. */
export const handler = step(NewAccountInput, (input) => openAccount(deps, input));
