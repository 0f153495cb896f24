import { moveHosting } from '../../domain/hosting/accounts.ts';
import { MoveHostingInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: where a subscription's account is, after it was moved from one hosting server to another. */
export const handler = step(MoveHostingInput, ({ accountId, subscriptionId: id, server }) =>
  moveHosting(deps, { accountId, id, server }),
);
