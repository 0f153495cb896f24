import { local } from './harness.ts';

/** Disables a webhook endpoint as 50 consecutive failures do. */
export async function disableEndpoint(accountId: string, id: string): Promise<void> {
  Object.assign(process.env, local.environment);
  const [{ deps }, { Webhook }, { change }] = await Promise.all([
    import('../../runtime/deps.ts'),
    import('../../table/entities/webhooks.ts'),
    import('../../table/writes.ts'),
  ]);
  const set = { active: false, failureCount: 50, disabledAt: new Date().toISOString() };
  await deps.table.transact([change(Webhook, { accountId, id }, { set })]);
}
