import { expect, test } from 'vitest';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { AuditEntry, auditOf } from '../../table/entities/audit.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { conflictFirst, START } from '../../test/simulation/simulation.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { incidentOfEntry } from '../accounts/notifications.ts';

test.each([
  ['failure', 'BAD_STATUS', 1],
  ['success that ends failures', 'DELIVERED', 0],
] as const)('records a %s once, however often the count of failures is contended', async (_, outcome, failureCount) => {
  const run = webhookSimulation({ faults: conflictFirst(9, 1) });
  await run.openAccount();
  const { id } = await run.endpoint('busy', () => outcome);
  const of = { accountId: run.caller.accountId, id };
  if (outcome === 'DELIVERED') await run.steady.table.write(Webhook, change(Webhook, of, { set: { failureCount: 7 } }));
  await run.event();
  await run.runUntilIdle(START + 45_000);
  expect(run.arrivals).toHaveLength(1);
  expect(run.deliveries()).toMatchObject([{ step: 1, attempts: [{ outcome }] }]);
  expect((await run.steady.table.get(Webhook, of))?.failureCount).toBe(failureCount);
});

test('keeps the count of an endpoint that was disabled during an attempt that succeeds: it says why', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  const store = (set: Partial<Webhook>) => run.steady.table.write(Webhook, change(Webhook, of, { set }));
  const disabled = { active: false, failureCount: MAX_CONSECUTIVE_FAILURES };
  const { id } = await run.endpoint('recovering', async () => {
    await store(disabled);
    return 'DELIVERED' as const;
  });
  const of = { accountId: run.caller.accountId, id };
  await store({ failureCount: MAX_CONSECUTIVE_FAILURES - 1 });
  await run.event();
  await run.runUntilIdle(START + 45_000);
  expect(run.deliveries()).toMatchObject([{ step: 1, attempts: [{ outcome: 'DELIVERED' }] }]);
  expect(await run.steady.table.get(Webhook, of)).toMatchObject(disabled);
});

test('tells the owner which endpoint was disabled', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  const { accountId } = run.caller;
  const { id, url } = await run.endpoint('failing', () => 'BAD_STATUS');
  const almost = { failureCount: MAX_CONSECUTIVE_FAILURES - 1 };
  await run.steady.table.write(Webhook, change(Webhook, { accountId, id }, { set: almost }));
  await run.event();
  await run.runUntilIdle(START + 45_000);
  const entries = await run.steady.table.all(AuditEntry, auditOf(accountId));
  expect(entries.flatMap((entry) => incidentOfEntry(entry))).toMatchObject([
    { title: `The webhook endpoint ${url} was disabled after too many failed deliveries.` },
  ]);
});
