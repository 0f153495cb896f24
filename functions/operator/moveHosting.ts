import { MoveHostingInput, moveHosting } from '../../domain/hosting/move.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: records a subscription's new hosting server after its account was moved there. */
export const handler = operatorFunction(MoveHostingInput, (deps, { accountId, subscriptionId: id, server }) =>
  moveHosting(deps, { accountId, id, server }),
);
