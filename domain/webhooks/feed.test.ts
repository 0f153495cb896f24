import { describe, expect, test } from 'vitest';
import { Event } from '../../table/entities/webhooks.ts';
import {
  conflictFirst,
  crashesAt,
  type FaultPlan,
  simulation,
  withRandomDelays,
} from '../../test/simulation/simulation.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import type { Caller, Deps } from '../deps.ts';
import { emit, newEvent } from './events.ts';
import { appendToFeed, listEvents } from './feed.ts';

const caller: Caller = { accountId: 'acc_1', keyId: 'key_1' };
const data = { applicationId: 'app_1', name: 'App' };

/** Reads everything after a cursor. */
async function readOn(deps: Deps, after: string, limit = 3): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = [];
  for (let cursor = after; ; ) {
    const page = await listEvents(deps, caller, { after: cursor, limit });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.cursor;
    if (!page.has_more) return { ids, cursor };
  }
}

describe('the feed', () => {
  test('has every event once, whatever call its process crashes at', async () => {
    const scenario = async (faults: FaultPlan, streamTrimmed = false) => {
      const run = webhookSimulation({ faults, streamTrimmed });
      await run.openAccount();
      await listEvents(run.steady, caller, { limit: 1 });
      await run.endpoint('receiver');
      for (let count = 0; count < 3; count += 1) await run.event(`app_${count}`);
      await run.runUntilIdle();
      const { ids } = await readOn(run.steady, 'evc_0');
      expect(ids.toSorted()).toEqual(
        run.memory
          .items('EVENT')
          .map(({ id }) => String(id))
          .toSorted(),
      );
      return run.calls();
    };
    const calls = await scenario(() => undefined);
    expect(calls).toBeGreaterThan(10);
    for (let number = 1; number <= calls; number += 1)
      for (const { faults } of crashesAt(number)) await scenario(faults);
    await scenario(() => undefined, true);
  });

  test('shows a reader each event once and in one order while several processes append', async () => {
    const { startProcess, memory } = simulation({ through: withRandomDelays });
    await Promise.all([1, 2].map(() => listEvents(startProcess().deps, caller, { limit: 1 })));
    const writers = Array.from({ length: 5 }, async () => {
      const { deps } = startProcess();
      for (let count = 0; count < 8; count += 1) {
        const { id, write } = newEvent(deps, caller.accountId, 'app.created', data);
        await deps.commit([write], undefined);
        const event = await deps.table.get(Event, { accountId: caller.accountId, id });
        // The stream delivers a record at least once.
        if (event) await Promise.all([appendToFeed(deps, [event]), appendToFeed(deps, [event])]);
      }
    });
    let done = false;
    const reader = (async () => {
      const { deps } = startProcess();
      const seen: string[] = [];
      for (let cursor = 'evc_0'; ; ) {
        const isLast = done;
        const read = await readOn(deps, cursor);
        seen.push(...read.ids);
        cursor = read.cursor;
        if (isLast) return seen;
      }
    })();
    await Promise.all(writers);
    done = true;
    const seen = await reader;
    const written = memory.items('EVENT').map(({ id }) => String(id));
    expect(seen.toSorted()).toEqual(written.toSorted());
    expect(written).toHaveLength(40);
  });

  test('has an event however often another process appends at the same moment', async () => {
    const { startProcess, steady, memory } = simulation({ faults: conflictFirst(9, 0) });
    await listEvents(steady.deps, caller, { limit: 1 });
    await steady.deps.commit([emit(steady.deps, caller.accountId, 'app.created', data)], undefined);
    await appendToFeed(startProcess().deps, [Event.parse(memory.items('EVENT')[0])]);
    expect((await readOn(steady.deps, 'evc_0')).ids).toHaveLength(1);
  });

  test.each([0, 1])('has an event with %i endpoints that the stream could not append', async (endpoints) => {
    let isAway = true;
    const faults: FaultPlan = ({ when, what }) => {
      if (isAway && when === 'before' && what === 'table.TransactWriteItems') throw new Error('away');
      return undefined;
    };
    const run = webhookSimulation({ faults });
    await run.openAccount();
    await listEvents(run.steady, caller, { limit: 1 });
    for (let count = 0; count < endpoints; count += 1) await run.endpoint(`receiver-${count}`);
    await run.event();
    await run.consumeStream();
    // The stream gives up its record.
    run.memory.records.length = 0;
    isAway = false;
    await run.runUntilIdle();
    expect((await readOn(run.steady, 'evc_0')).ids).toEqual([run.lastEventId()]);
  });

  test('has many late events of one account, twenty with each write of its end', async () => {
    const run = webhookSimulation();
    await run.openAccount();
    await listEvents(run.steady, caller, { limit: 1 });
    for (let count = 0; count < 60; count += 1) await run.event(`app_${count}`);
    // The stream lost all of them.
    run.memory.records.length = 0;
    await run.runUntilIdle();
    expect((await readOn(run.steady, 'evc_0', 100)).ids).toHaveLength(60);
    const ends = run.memory.records.filter((record) => JSON.stringify(record).includes('"S":"EVENT_FEED"'));
    expect(ends).toHaveLength(3);
  });

  test('writes nothing for an account that never read it', async () => {
    const run = webhookSimulation();
    await run.openAccount();
    await run.event();
    await run.runUntilIdle();
    expect(run.memory.items('FEED_ENTRY')).toEqual([]);
    expect(run.memory.items('EVENT')[0]).not.toHaveProperty('inFeed');
  });

  test('begins with the newest events, refuses unknown cursors, and says so where events have expired', async () => {
    const { startProcess, memory } = simulation();
    const { deps } = startProcess();
    expect(await listEvents(deps, caller, { limit: 5 })).toEqual({ data: [], cursor: 'evc_0', has_more: false });
    for (let count = 0; count < 4; count += 1)
      await deps.commit([emit(deps, caller.accountId, 'app.created', { ...data, name: String(count) })], undefined);
    await appendToFeed(
      deps,
      memory.items('EVENT').map((item) => Event.parse(item)),
    );
    const newest = await listEvents(deps, caller, { limit: 2 });
    expect(newest.data).toHaveLength(2);
    expect(newest).toMatchObject({ cursor: 'evc_4', has_more: false });
    expect(await listEvents(deps, caller, { after: 'evc_1', limit: 2 })).toMatchObject({
      cursor: 'evc_3',
      has_more: true,
    });
    await expect(listEvents(deps, caller, { after: 'evc_5', limit: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    const { FeedEntry } = await import('../../table/entities/webhooks.ts');
    const { remove } = await import('../../table/writes.ts');
    await deps.table.transact([remove(FeedEntry, { accountId: caller.accountId, position: 1 })]);
    await expect(listEvents(deps, caller, { after: 'evc_0', limit: 2 })).rejects.toThrow('no longer kept');
    expect((await listEvents(deps, caller, { limit: 10 })).data).toHaveLength(3);
  });
});
