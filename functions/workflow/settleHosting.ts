import { settleHosting } from '../../domain/hosting/accounts.ts';
import { HostingInput } from '../../domain/workflow.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { deps } from '../../runtime/deps.ts';
import { reportHosting } from '../../runtime/observability/hosting-metrics.ts';
import { panel } from '../../runtime/panel.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Makes an account on a hosting server agree with its subscription. */
export const handler = step(HostingInput, async ({ accountId, subscriptionId: id }) =>
  reportHosting(await settleHosting({ ...deps, panel, secrets }, { accountId, id })),
);
