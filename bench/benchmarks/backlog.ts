import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../contract/client.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import type { Delivery } from '../../table/entities/webhooks.ts';
import type { Local } from '../../test/support/platform.ts';
import { type Receiver, receiver } from '../../test/support/receivers.ts';
import { median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

/** Deliveries of one turn. */
const BACKLOG = 300;
const TURNS = 3;
/** Receivers of one account, the last of which hangs in some turns. */
const RECEIVERS = 10;
/** Concurrency of the loop that does the same work. */
const CONCURRENCY = 10;
/** Time after which the attempts to a hanging receiver have timed out. */
const SETTLE_MS = 12_000;

const waitUntil = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await sleep(10);
};

/** Loads the platform's code into this process, with the run's table and queues. */
async function loadPlatform({ environment }: Local) {
  Object.assign(process.env, environment);
  const [{ batchDeps }, { deliveryQueue }, { storeDelivery }, { toMessage }, entities, { replace }] = await Promise.all(
    [
      import('../../runtime/batch-deps.ts'),
      import('../../runtime/bindings/delivery-queue.ts'),
      import('../../domain/webhooks/event-sweep.ts'),
      import('../../domain/webhooks/fan-out.ts'),
      import('../../table/entities/webhooks.ts'),
      import('../../table/writes.ts'),
    ],
  );
  return { deps: batchDeps, deliveryQueue, storeDelivery, toMessage, ...entities, replace };
}
type Platform = Awaited<ReturnType<typeof loadPlatform>>;

let storedCount = 0;
/** Stores deliveries that are due now, spread evenly over the endpoints. */
async function storeBacklog({ deps, storeDelivery }: Platform, accountId: string, webhookIds: readonly string[]) {
  return await Promise.all(
    Array.from({ length: BACKLOG }, async (_, index): Promise<Delivery> => {
      storedCount += 1;
      const createdAt = deps.now().toISOString();
      const [id, eventId] = [`dlv_${storedCount.toString(16).padStart(32, '0')}`, `evt_backlog_${storedCount}`];
      const body = JSON.stringify({ id: eventId, type: 'app.created', created: createdAt, data: {} });
      const delivery = {
        id,
        accountId,
        webhookId: webhookIds[index % webhookIds.length] ?? '',
        eventId,
        type: 'app.created',
        body,
        createdAt,
        status: 'PENDING' as const,
        nextAttemptAt: createdAt,
        attempts: [],
        step: 0,
        tries: 0,
      };
      await storeDelivery(deps, delivery);
      return delivery;
    }),
  );
}

/** Queues deliveries and waits for `count` of them. Returns the milliseconds from the first to the last arrival. */
async function drain(
  { deliveryQueue, toMessage }: Platform,
  deliveries: readonly Delivery[],
  good: Receiver,
  count: number,
) {
  const before = good.received.length;
  await deliveryQueue.send(deliveries.map((delivery) => ({ message: toMessage(delivery), delay: 2 })));
  await waitUntil(() => good.received.length >= before + count);
  const times = good.received.slice(before).map(({ at }) => at);
  return Math.max(...times) - Math.min(...times);
}

async function post(url: string, body: string): Promise<void> {
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', 'whsec_bare').update(`${t}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-service-signature': `t=${t},v1=${v1}` };
  await (await fetch(url, { method: 'POST', headers, body })).text();
}

/** Signs and POSTs one request after the other over a keep-alive connection. Returns milliseconds. */
async function bareLoop(url: string): Promise<number> {
  const body = JSON.stringify({ id: 'evt_0', type: 'app.created', created: '', data: { applicationId: '', name: '' } });
  const began = performance.now();
  for (let index = 0; index < BACKLOG; index += 1) await post(url, body);
  return performance.now() - began;
}

/** Does the minimum that every delivery needs: reads it and its endpoint, POSTs, and records the result. Returns milliseconds. */
async function equivalentLoop(
  { deps, Delivery, Webhook, replace }: Platform,
  deliveries: readonly Delivery[],
  url: string,
) {
  const remaining = [...deliveries];
  const worker = async () => {
    for (let delivery = remaining.shift(); delivery; delivery = remaining.shift()) {
      const { accountId, id, webhookId } = delivery;
      const [stored] = await Promise.all([
        deps.table.get(Delivery, { accountId, id }),
        deps.table.get(Webhook, { accountId, id: webhookId }),
      ]);
      if (!stored) throw new Error(`there is no delivery ${id}`);
      await post(url, stored.body);
      const delivered = { ...stored, status: 'DELIVERED' as const, nextAttemptAt: null, step: 1 };
      const refused = () => new Error('recorded already');
      await deps.table.write(Delivery, replace(Delivery, delivered, { step: { absentOrBelow: 1 } }, refused));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return performance.now() - began;
}

/** Measures the rate at which a backlog drains, and how much a hanging receiver slows down the other receivers of its account. */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '1000000', WEBHOOK_RETRY_SCHEDULE: '600' });
  const good = await receiver();
  const hanging = await receiver(() => undefined);
  try {
    const { baseUrl, accounts } = run.local;
    const platform = await loadPlatform(run.local);
    const { id: accountId, secretKey } = accounts.demo;
    const client = createClient({ baseUrl, secretKey });
    const register = async (url: string) =>
      (await client.call(createWebhook, { body: { url, events: ['app.created'] } })).body.data.id;
    const ids: string[] = [];
    for (let index = 1; index < RECEIVERS; index += 1) ids.push(await register(good.url));
    const [first = ''] = ids;

    const durations = { plain: [] as number[], same: [] as number[], ours: [] as number[] };
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const plain = await bareLoop(good.url);
      const same = await equivalentLoop(platform, await storeBacklog(platform, accountId, [first]), good.url);
      const ours = await drain(platform, await storeBacklog(platform, accountId, [first]), good, BACKLOG);
      // The first turn starts the function's threads.
      if (turn === 0) continue;
      durations.plain.push(plain);
      durations.same.push(same);
      durations.ours.push(ours);
    }

    // The other receivers get the same deliveries in each turn. The tenth receiver either responds or hangs.
    const [ninth, tenth] = [await register(good.url), await register(hanging.url)];
    const others = (BACKLOG / RECEIVERS) * (RECEIVERS - 1);
    const drainAcross = async (last: string, count: number) =>
      await drain(platform, await storeBacklog(platform, accountId, [...ids, last]), good, count);
    const allHealthy: number[] = [];
    const oneHanging: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) allHealthy.push(await drainAcross(ninth, BACKLOG));
    // In the first turn, the platform does not know yet that the receiver hangs.
    oneHanging.push(await drainAcross(tenth, others));
    await sleep(SETTLE_MS);
    for (let turn = 0; turn < 2; turn += 1) oneHanging.push(await drainAcross(tenth, others));
    await hanging.stop();
    await sleep(2000);
    for (let turn = 0; turn < 2; turn += 1) allHealthy.push(await drainAcross(ninth, BACKLOG));
    console.log(`a second: ${durations.ours.map((ms) => Math.round((BACKLOG / ms) * 1000)).join(', ')}`);
    return [
      {
        name: `${BACKLOG} queued deliveries, against a bare loop of POSTs`,
        ours: median(durations.ours),
        baseline: median(durations.plain),
        unit: 'ms',
        maxRatio: Number.POSITIVE_INFINITY,
      },
      {
        name: `${BACKLOG} queued deliveries, against a loop of ${CONCURRENCY} that also reads and records them`,
        ours: median(durations.ours),
        baseline: median(durations.same),
        unit: 'ms',
        maxRatio: 2,
      },
      {
        name: `${others} deliveries to other endpoints while a tenth of ${BACKLOG} hangs`,
        ours: median(oneHanging),
        baseline: median(allHealthy),
        unit: 'ms',
        maxRatio: 1 / 0.8,
      },
    ];
  } finally {
    await Promise.all([run.stop(), good.stop(), hanging.stop()]);
  }
}
