import { MoveHostingInput, moveHosting } from '../../domain/hosting/accounts.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: records a subscription's new hosting server after its account was moved there. */
export const handler = byHand(MoveHostingInput, (deps, { accountId, subscriptionId: id, server }) =>
  moveHosting(deps, { accountId, id, server }),
);
