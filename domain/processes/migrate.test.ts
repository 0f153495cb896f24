import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toItem } from '../../table/attributes.ts';
import { Account } from '../../table/entities/accounts.ts';
import { AiEntry, AiUsage, aiEntriesOf, aiUsageOf } from '../../table/entities/ai.ts';
import { Delivery } from '../../table/entities/webhooks.ts';
import { bringForward, type Migration } from '../../table/migrations/migration.ts';
import { MIGRATIONS } from '../../table/migrations/migrations.ts';
import { change, upsert } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import {
  crashesAt,
  noFaults,
  runUntil,
  type simulation as Simulation,
  simulation,
  toleratingFaults,
} from '../../test/simulation/simulation.ts';
import { purchaseEntry } from '../../test/support/ai-entry.ts';
import { ENTITIES } from '../../test/support/entities.ts';
import { concurrentUpdate } from '../conflict.ts';
import { migrate, readMigrations } from './migrate.ts';

/** Puts accounts as version 1 of the platform wrote them: `walletSerial` and no version of items. */
async function putOldAccounts({ memory }: ReturnType<typeof Simulation>, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { input } = newSimulatedAccount(`acc_${String(at).padStart(3, '0')}`, { walletCents: at });
    const { entityVersion: _, ...old } = input.Item as Record<string, object>;
    await memory.send('PutItem', { Item: { ...old, ...toItem({ walletSerial: at }) } });
  }
}

const untouched = (count: number) =>
  Array.from({ length: count }, (_, at) => expect.objectContaining({ walletVersion: at, entityVersion: 2 }));

test('every migration is a numbered file, is listed, and is declared by its entity', () => {
  const files = readdirSync(resolve('table/migrations')).filter((name) => /^\d{4}-/.test(name));
  expect(MIGRATIONS.map(({ name }) => `${name}.ts`)).toEqual(files.toSorted());
  for (const migration of MIGRATIONS) expect(ENTITIES.get(migration.entity)?.migrations).toContain(migration);
  const listed = [...ENTITIES.values()].flatMap(({ migrations = [] }) => migrations);
  expect(listed.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([...MIGRATIONS]);
  for (const { migrations = [] } of ENTITIES.values())
    expect(migrations.map(({ to }) => to)).toEqual(migrations.map((_, at) => at + 2));
});

test('an item that was not rewritten yet is read as the newest version has it', () => {
  const old = { accountId: 'a', id: 'd', webhookId: 'w', eventId: 'e', type: 'ping', body: '{}', status: 'PENDING' };
  const item = { ...old, createdAt: '', nextAttemptAt: null, attempts: [], serial: 3, tries: 0 };
  expect(Delivery.parse(item)).toMatchObject({ step: 3 });
  expect(Delivery.parse(item)).not.toHaveProperty('serial');
});

test.each(MIGRATIONS.map((each): [string, Migration] => [each.name, each]))(
  '%s changes an item once, whatever was changed already',
  (_, migration) => {
    const states = migration.reads.reduce<Record<string, number>[]>(
      (all, name) => all.flatMap((state) => [state, { ...state, [name]: 7 }]),
      [{}],
    );
    for (const state of states) {
      const once = bringForward([migration], { entity: migration.entity, ...state });
      expect(bringForward([migration], { ...once, entityVersion: 1 })).toEqual(once);
    }
  },
);

describe('migrations', () => {
  test('rewrite the items of their entity in batches, and are over then', async () => {
    const world = simulation();
    await putOldAccounts(world, 250);
    const { deps } = world.steady;
    expect(await readMigrations(deps)).toEqual({ done: false, runs: [] });
    const { done, runs } = await migrate(deps);
    expect(done).toBe(true);
    expect(runs.map(({ name, status, changed, failed }) => [name, status, changed, failed])).toEqual(
      MIGRATIONS.map(({ name }, at) => [name, 'DONE', at === 0 ? 250 : 0, 0]),
    );
    expect(world.memory.items('ACCOUNT')).toEqual(untouched(250));
    const before = world.memory.written.length;
    await migrate(deps);
    expect(world.memory.written).toHaveLength(before);
  });

  test('continue in the next run where the time of one was over', async () => {
    const world = simulation();
    await putOldAccounts(world, 250);
    const { deps } = world.steady;
    const first = await migrate({ ...deps, now: ticking(world.clock, 1000) }, { budgetMs: 3000 });
    expect(first.done).toBe(false);
    expect(first.runs[0]).toMatchObject({ status: 'RUNNING', scanned: 100 });
    expect((await migrate(deps)).done).toBe(true);
    expect(world.memory.items('ACCOUNT')).toEqual(untouched(250));
  });

  test('reach the same end from a crash at every call, before and after it', async () => {
    const clean = simulation({ faults: () => undefined });
    await putOldAccounts(clean, 12);
    await migrate(clean.startProcess().deps);
    expect(clean.calls()).toBeGreaterThan(30);
    for (let at = 1; at <= clean.calls(); at += 1) {
      for (const { when, faults } of crashesAt(at)) {
        const world = simulation({ faults });
        await putOldAccounts(world, 12);
        await toleratingFaults(() => migrate(world.startProcess().deps));
        await migrate(world.startProcess({ faults: noFaults }).deps);
        expect((await readMigrations(world.steady.deps)).done, `crash ${when} call ${at}`).toBe(true);
        expect(world.memory.items('ACCOUNT')).toEqual(untouched(12));
      }
    }
  });

  test('of two runs at once change each item once and keep one progress', async () => {
    const world = interleaving();
    await putOldAccounts(world, 30);
    await runUntil(
      async () => (await readMigrations(world.steady.deps)).done,
      () => Promise.all([migrate(world.steady.deps), migrate(world.steady.deps)]),
    );
    expect(world.memory.items('ACCOUNT')).toEqual(untouched(30));
  });

  test('keep what a request changes meanwhile', async () => {
    const world = simulation();
    await putOldAccounts(world, 1);
    const { deps } = world.steady;
    let calls = 0;
    const table = {
      ...deps.table,
      getByKey: async (key: { pk: string; sk: string }) => {
        const item = await deps.table.getByKey(key);
        calls += 1;
        const paying = { set: { walletSerial: 9, walletCents: 5 } };
        if (calls === 1) await deps.table.transact([change(Account, { id: 'acc_000' }, paying, concurrentUpdate)]);
        return item;
      },
    };
    await migrate({ ...deps, table });
    expect(calls).toBe(2);
    expect(world.memory.items('ACCOUNT')).toEqual([expect.objectContaining({ walletVersion: 9, walletCents: 5 })]);
  });

  test('count an item that cannot be changed, change the others, and repeat after an hour', async () => {
    const world = simulation();
    await putOldAccounts(world, 5);
    const { deps } = world.steady;
    let isBroken = true;
    const poisoned: Migration = {
      ...(MIGRATIONS[0] as Migration),
      forward(item) {
        if (isBroken && item.id === 'acc_002') throw new Error('poisoned');
        return MIGRATIONS[0]?.forward(item);
      },
    };
    const migrations = [poisoned];
    const { done, runs } = await migrate(deps, { migrations });
    expect(done).toBe(false);
    expect(runs).toMatchObject([{ status: 'FAILED', changed: 4, failed: 1, failures: [{ error: 'Error: poisoned' }] }]);
    isBroken = false;
    expect((await migrate(deps, { migrations })).done).toBe(false);
    world.clock.now += 3_600_000;
    expect((await migrate(deps, { migrations })).done).toBe(true);
    expect(world.memory.items('ACCOUNT')).toEqual(untouched(5));
  });
});

/** Puts entries of the AI ledger and sums of days as version 1 of the platform wrote them: lists in the index. */
async function putOldAiItems({ memory }: ReturnType<typeof Simulation>, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const id = `aie_${String(at).padStart(3, '0')}`;
    const list = { listPk: aiEntriesOf('acc_1'), listSk: id };
    const item = {
      ...purchaseEntry('acc_1', id),
      pk: `AI_ENTRY#acc_1#${id}`,
      sk: 'AI_ENTRY',
      entity: 'AI_ENTRY',
      ...list,
    };
    await memory.send('PutItem', { Item: toItem(item) });
  }
  const listSk = '2026-11-22#key_1#openai/gpt-4o';
  const key = { pk: `AI_USAGE#acc_1#${listSk}`, sk: 'AI_USAGE', listPk: aiUsageOf('acc_1'), listSk };
  await memory.send('PutItem', { Item: toItem({ ...USAGE, ...key, entity: 'AI_USAGE', expiresAtEpoch: 1 }) });
}

const DAY = { accountId: 'acc_1', day: '2026-11-22', keyId: 'key_1', model: 'openai/gpt-4o' };
const USAGE = { ...DAY, calls: 1, inputTokens: 2, outputTokens: 3, microRand: 4 };

describe('migrations that move items', () => {
  test('keep every entry of the AI ledger once, from a crash at every call, before and after it', async () => {
    const clean = simulation({ faults: () => undefined });
    await putOldAiItems(clean, 3);
    await migrate(clean.startProcess().deps);
    for (let at = 1; at <= clean.calls(); at += 1) {
      for (const { faults } of crashesAt(at)) {
        const world = simulation({ faults });
        await putOldAiItems(world, 3);
        await toleratingFaults(() => migrate(world.startProcess().deps));
        const { table } = world.steady.deps;
        await migrate(world.startProcess({ faults: noFaults }).deps);
        const page = await table.list(AiEntry, aiEntriesOf('acc_1'), { limit: 10, offset: 0 });
        expect(page.items.map(({ id }) => id)).toEqual(['aie_002', 'aie_001', 'aie_000']);
        expect(world.memory.items('AI_ENTRY')).toHaveLength(3);
      }
    }
  });

  test('let the sums of a day go on where they were', async () => {
    const world = simulation();
    await putOldAiItems(world, 0);
    const { deps } = world.steady;
    await migrate(deps);
    await deps.table.updateReturningChanged(upsert(AiUsage, DAY, { set: DAY, add: { calls: 1 } }));
    expect(await deps.table.since(AiUsage, aiUsageOf('acc_1'), '2026-11-22', 10)).toEqual([{ ...USAGE, calls: 2 }]);
    expect(world.memory.items('AI_USAGE')).toEqual([expect.objectContaining({ expiresAtEpoch: 1 })]);
    expect(world.memory.items('AI_USAGE')[0]).not.toHaveProperty('listPk');
  });

  test('of two runs at once move each item once', async () => {
    const world = interleaving();
    await putOldAiItems(world, 20);
    await runUntil(
      async () => (await readMigrations(world.steady.deps)).done,
      () => Promise.all([migrate(world.steady.deps), migrate(world.steady.deps)]),
    );
    const ids = world.memory.items('AI_ENTRY').map(({ sk }) => sk);
    expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
  });
});

/** Returns a world in which runs at once take turns at each call of the table. */
const interleaving = () =>
  simulation({
    through:
      (send) =>
      async (...call) => {
        await new Promise(setImmediate);
        return await send(...call);
      },
  });

/** Returns a clock that advances with every look at it. */
const ticking = (clock: { now: number }, milliseconds: number) => () => {
  clock.now += milliseconds;
  return new Date(clock.now);
};
