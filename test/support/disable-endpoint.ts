import { Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { platformDeps } from './harness.ts';

/** Disables a webhook endpoint as 50 consecutive failures do. */
export async function disableEndpoint(accountId: string, id: string): Promise<void> {
  const deps = await platformDeps();
  const set = { active: false, failureCount: 50, disabledAt: new Date().toISOString() };
  await deps.table.transact([change(Webhook, { accountId, id }, { set })]);
}
