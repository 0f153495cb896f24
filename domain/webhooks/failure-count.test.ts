import { expect, test } from 'vitest';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { AuditEntry, auditOf } from '../../table/entities/audit.ts';
import { Delivery, Webhook } from '../../table/entities/webhooks.ts';
import { change } from '../../table/writes.ts';
import { deletionSimulation } from '../../test/simulation/account-deletion.ts';
import { conflictFirst, interruptAt, START } from '../../test/simulation/simulation.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { incidentOfEntry } from '../accounts/notifications.ts';
import { countFailure } from './failure-count.ts';

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

const [ONE, TWO] = [['del_0'], ['del_0', 'del_1']];
const MAX = MAX_CONSECUTIVE_FAILURES;
test.each([
  ['one failure beside another', ONE, MAX - 2, { add: { failureCount: 1 } }, { active: false, failureCount: MAX }],
  ['two failures beside two others', TWO, MAX - 3, { add: { failureCount: 2 } }, { active: false, failureCount: MAX }],
  ['the last failure beside a success', ONE, MAX - 1, { set: { failureCount: 0 } }, { active: true, failureCount: 1 }],
  ['the last failure once its owner disables it', ONE, MAX - 1, { set: { active: false } }, { failureCount: MAX - 1 }],
  ['two failures once its owner disables it', TWO, 5, { set: { active: false } }, { failureCount: 5 }],
])('%s counts as it is, and the limit disables once', async (_, deliveries, failureCount, meanwhile, expected) => {
  for (let step = 1, interrupted = true; interrupted; step += 1) {
    interrupted = false;
    const made = await deletionSimulation();
    const { accountId, memory } = made;
    const endpoint = { accountId, id: 'whk_1' };
    const write = (what: Parameters<typeof change>[2]) =>
      made.deps.table.write(Webhook, change(Webhook, endpoint, what));
    await write({ set: { failureCount } });
    const interrupt = async () => {
      interrupted = true;
      await write(meanwhile);
    };
    const { deps } = made.startProcess({ faults: interruptAt(step, interrupt) });
    const failures = deliveries.map((id) => {
      const record = change(Delivery, { accountId, id }, { add: { tries: 1 } });
      return countFailure(deps, endpoint, { write: record, known: undefined, durationMs: 1 });
    });
    const disabled = await Promise.all(failures);
    if (!interrupted) break;
    expect(memory.items('WEBHOOK'), `interrupted before call ${step}`).toMatchObject([expected]);
    expect(disabled.filter(Boolean)).toHaveLength('active' in expected && !expected.active ? 1 : 0);
    expect(memory.items('DELIVERY').filter(({ tries }) => tries === 2)).toHaveLength(deliveries.length);
  }
});

test.each([
  ['below the limit', 0, { active: true, failureCount: 2 }],
  ['up to one less than the limit', MAX - 3, { active: true, failureCount: MAX - 1 }],
  ['up to the limit', MAX - 2, { active: false, failureCount: MAX }],
  ['beyond the limit', MAX - 1, { active: false, failureCount: MAX }],
])('two failures that end together count each, %s', async (_, failureCount, expected) => {
  const { accountId, deps, memory } = await deletionSimulation();
  const endpoint = { accountId, id: 'whk_1' };
  await deps.table.write(Webhook, change(Webhook, endpoint, { set: { failureCount } }));
  const failures = TWO.map((id) => {
    const write = change(Delivery, { accountId, id }, { add: { tries: 1 } });
    return countFailure(deps, endpoint, { write, known: undefined, durationMs: 1 });
  });
  const disabled = await Promise.all(failures);
  expect(memory.items('WEBHOOK')).toMatchObject([expected]);
  expect(disabled.filter(Boolean)).toHaveLength(expected.active ? 0 : 1);
  expect(memory.items('DELIVERY').filter(({ tries }) => tries === 2)).toHaveLength(TWO.length);
});
