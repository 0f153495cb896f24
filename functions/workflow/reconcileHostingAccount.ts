import { HostingInput, reconcileHostingAccount } from '../../domain/hosting/accounts.ts';
import { panel } from '../../runtime/bindings/hosting-panel.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { txt } from '../../runtime/bindings/txt-records.ts';
import { deps } from '../../runtime/deps.ts';
import { reportHosting } from '../../runtime/observability/hosting-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Reconciles a hosting account with its subscription. */
export const handler = step(HostingInput, async ({ accountId, subscriptionId: id }) => {
  const of = { accountId, id };
  return reportHosting(of, await reconcileHostingAccount({ ...deps, panel, secrets, txt }, of));
});
