import { settleHosting } from '../../domain/hosting-accounts.ts';
import { HostingInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { reportHosting } from '../../runtime/hosting-metrics.ts';
import { panel } from '../../runtime/panel.ts';
import { secrets } from '../../runtime/secrets.ts';
import { step } from '../../runtime/step.ts';

/** Makes an account on a hosting server agree with its subscription. */
export const handler = step(HostingInput, async ({ accountId, subscriptionId: id }) =>
  reportHosting(await settleHosting({ ...deps, panel, secrets }, { accountId, id })),
);
