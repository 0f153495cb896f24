import { expect, test } from 'vitest';
import { fitsMessage } from '../../providers/webhooks/delivery-queue.ts';
import { batchReads } from '../../table/batch-reads.ts';
import { Event, Webhook } from '../../table/entities/webhooks.ts';
import { createTable, type Send } from '../../table/table.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { deliver } from './deliver.ts';
import { fanOut, findSubscribers } from './fan-out.ts';

/** An event with one endpoint, and what fan-out makes of it. */
async function fannedOut(name = 'App') {
  const world = webhookSimulation();
  await world.openAccount();
  const webhook = await world.endpoint('receiver');
  await world.event('app_1', name);
  const [item] = world.memory.items('EVENT');
  const messages = await fanOut(world.steady, Event.parse(item));
  return { world, webhook, messages };
}

/** The calls to the table that an attempt makes before it sends, where reads of the same moment are one round trip. */
async function readsBefore({ world, messages }: Awaited<ReturnType<typeof fannedOut>>): Promise<string[]> {
  const calls: string[] = [];
  let sent: string[] | undefined;
  const send: Send = async <Output>(operation: string, input: object) => {
    calls.push(operation);
    if (operation !== 'BatchGetItem') return await world.memory.send<Output>(operation, input);
    const { RequestItems } = input as { RequestItems: Record<string, { Keys: object[] }> };
    const [[TableName, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems);
    const read = await Promise.all(
      Keys.map((Key) => world.memory.send<{ Item?: object }>('GetItem', { TableName, Key, ConsistentRead: true })),
    );
    return { Responses: { [TableName]: read.flatMap(({ Item }) => Item ?? []) } } as Output;
  };
  const sender = {
    send: async (...request: Parameters<typeof world.steady.sender.send>) => {
      sent = [...calls];
      return await world.steady.sender.send(...request);
    },
  };
  const [message] = messages;
  if (!message) throw new Error('no message');
  await deliver({ ...world.steady, table: createTable(batchReads(send), 'memory'), sender }, message);
  return sent ?? [];
}

test('a first attempt makes one round trip to the table before it sends: delivery and endpoint together', async () => {
  expect(await readsBefore(await fannedOut())).toEqual(['BatchGetItem']);
});

test('a first attempt whose message does not carry the content reads the event, and sends the same bytes', async () => {
  const carrying = await fannedOut();
  await readsBefore(carrying);
  const bare = await fannedOut();
  const messages = bare.messages.map(({ content: _, ...ids }) => ids);
  expect(await readsBefore({ ...bare, messages })).toEqual(['BatchGetItem', 'GetItem']);
  const [first, second] = [carrying, bare].map(({ world }) => JSON.parse(world.arrivals[0]?.body ?? ''));
  expect(Object.keys(second)).toEqual(Object.keys(first));
  expect(second.data).toEqual(first.data);
});

test('a message carries ids and the content of the event, no secret and no address', async () => {
  const { webhook, messages } = await fannedOut();
  expect(messages).toEqual([
    {
      accountId: 'acc_1',
      webhookId: webhook.id,
      step: 0,
      eventId: expect.stringMatching(/^evt_/),
      deliveryId: expect.stringMatching(/^dlv_/),
      content: { type: 'app.created', createdAt: expect.any(String), body: expect.any(String) },
      settles: { others: [], inFeed: false },
    },
  ]);
  const text = JSON.stringify(messages);
  for (const hidden of [webhook.secret, webhook.url, 'sealed']) expect(text).not.toContain(hidden);
});

test.each([
  ['in ASCII', 'x'.repeat(17_000)],
  ['once its characters are escaped', '\uffff'.repeat(3_000)],
])('content that is too large %s stays in the table, and is delivered', async (_, name) => {
  const fanned = await fannedOut(name);
  expect(fanned.messages[0]).not.toHaveProperty('content');
  await readsBefore(fanned);
  expect(JSON.parse(fanned.world.arrivals[0]?.body ?? '').data.name).toBe(name);
});

test('ten messages with the largest content fit into one call of SQS', () => {
  const largest = (length: number) => ({ type: 'app.created', createdAt: '', body: '"'.repeat(length) });
  let length = 0;
  while (fitsMessage(largest(length + 1))) length += 1;
  const ids = Object.fromEntries(
    ['accountId', 'webhookId', 'eventId', 'deliveryId'].map((name) => [name, 'x'.repeat(64)]),
  );
  const settles = { others: Array.from({ length: 5 }, () => 'x'.repeat(64)), inFeed: false };
  expect(10 * JSON.stringify({ ...ids, step: 0, settles, content: largest(length) }).length).toBeLessThan(256 * 1024);
});

test('an endpoint that was registered after an event does not get it', async () => {
  const world = webhookSimulation();
  await world.openAccount();
  await world.event('app_1', 'Before');
  const [item] = world.memory.items('EVENT');
  const event = Event.parse(item);
  await world.endpoint('receiver');
  const created = (later: number) => new Date(Date.parse(event.created) + later).toISOString();
  const [webhook] = world.memory.items('WEBHOOK');
  expect(findSubscribers({ ...event, created: created(60_000) }, [Webhook.parse(webhook)])).toHaveLength(1);
  expect(findSubscribers({ ...event, created: created(-60_000) }, [Webhook.parse(webhook)])).toEqual([]);
});
