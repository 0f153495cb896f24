import { MoveHostingInput, moveHosting } from '../../domain/hosting/accounts.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: records a subscription's new hosting server after its account was moved there. */
export const handler = step(MoveHostingInput, ({ accountId, subscriptionId: id, server }) =>
  moveHosting(deps, { accountId, id, server }),
);
