import { createHmac } from 'node:crypto';
import { reconcileDeliveries } from '../domain/delivery-sweep.ts';
import type { Caller, Deps } from '../domain/deps.ts';
import { reconcileEvents } from '../domain/event-sweep.ts';
import { newId } from '../domain/ids.ts';
import { deliver } from '../domain/webhooks/deliver.ts';
import { createWebhook } from '../domain/webhooks/endpoints.ts';
import { emit } from '../domain/webhooks/events.ts';
import { consume } from '../events/consume.ts';
import { webhookRules } from '../events/webhook-rules.ts';
import type { Secrets } from '../providers/encryption/secrets.ts';
import type { DeliveryMessage, DeliveryQueue } from '../providers/webhooks/delivery-queue.ts';
import type { Sent, WebhookSender } from '../providers/webhooks/sender.ts';
import { Delivery } from '../table/entities/webhooks.ts';
import { createTable, type Send } from '../table/table.ts';
import { memoryTable } from './support/memory-table.ts';

/**
 * Everything between an event's write and its receivers, with a clock that jumps: the real rules, domain functions and
 * table module over a table in memory, a queue that delivers at least once, and processes that can die at any call that
 * leaves them.
 */

/** What the stream's filter lets through (lib/stacks/stream.ts). */
function wakes(record: unknown): boolean {
  const text = JSON.stringify(record);
  if (/"sk":\{"S":"EVENT"\}/.test(text)) return /"eventName":"INSERT"/.test(text);
  return !/"S":"(DELIVERY|SWEEP)"/.test(text) || /"resendAt"/.test(text);
}

export class Death extends Error {}

export interface Arrival {
  at: number;
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Answer = Sent['outcome'];
/** What a receiver answers to its n-th request (from 1); how long it takes is up to `clock`. */
export type Receiver = (nth: number, arrival: Arrival) => Answer | Promise<Answer>;

export interface WorldOptions {
  schedule?: readonly number[];
  /** By how much the deliverer's clock is off, in milliseconds. */
  skew?: number;
  /** The stream hands over nothing at all: its consumer was away for longer than it keeps its records. */
  trimmed?: boolean;
  /** Called before and after each call that leaves a process; may throw, or say that the process is to die. */
  fate?: (call: number, when: 'before' | 'after', what: string, now: number) => 'die' | undefined;
}

const MINUTE = 60_000;
const VISIBLE_AGAIN = 30_000;
const RECEIVES_MOST = 10;
export const START = Date.parse('2026-01-31T09:30:00.000Z');
const STATUSES: Partial<Record<Answer, number>> = { DELIVERED: 200, BAD_STATUS: 500, REDIRECT: 301 };

export function webhookWorld({
  schedule = [60, 300, 1800, 7200, 43_200],
  fate = () => undefined,
  skew = 0,
  trimmed = false,
}: WorldOptions = {}) {
  const memory = memoryTable();
  const clock = { now: START };
  const receivers = new Map<string, Receiver>();
  const arrivals: Arrival[] = [];
  let messages: { message: DeliveryMessage; visibleAt: number; receives: number }[] = [];
  const deadLetters: DeliveryMessage[] = [];
  let calls = 0;
  let streamAt = 0;
  let nextMinute = START + MINUTE;

  /** What one process has of the outside. Once it is dead nothing that it does reaches anywhere. */
  function processOf({ immortal = false, off = 0 } = {}) {
    const life = { dead: false };
    const through = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
      if (life.dead) throw new Death();
      if (immortal) return await act();
      calls += 1;
      const call = calls;
      const meet = (when: 'before' | 'after') => {
        if (fate(call, when, what, clock.now) === 'die') life.dead = true;
        if (life.dead) throw new Death();
      };
      meet('before');
      const result = await act();
      meet('after');
      return result;
    };
    const send: Send = async <Output>(operation: string, input: object): Promise<Output> => {
      // The reconciler looks at sixteen empty partitions a minute: dying there sixteen times over shows nothing new.
      if ('IndexName' in input && input.IndexName === 'due' && !life.dead) {
        const found = await memory.send<{ Items: object[] }>(operation, input);
        if (found.Items.length === 0) return found as Output;
      }
      return await through(`table ${operation}`, () => memory.send<Output>(operation, input));
    };
    const table = createTable(send, 'memory');
    const queue: DeliveryQueue = {
      send: (queued) =>
        queued.length === 0
          ? Promise.resolve()
          : through('queue', async () => {
              for (const { message, delay } of queued) {
                if (delay > 900) throw new Error(`a delay of ${delay} s`);
                messages.push({ message, visibleAt: clock.now + Math.ceil(delay) * 1000, receives: 0 });
              }
            }),
    };
    const secrets: Secrets = {
      seal: (_, text) => through('seal', async () => ({ wrappedKey: 'k', iv: 'i', ciphertext: `sealed ${text}` })),
      unseal: (_, sealed) => through('unseal', async () => sealed.ciphertext.slice('sealed '.length)),
    };
    const sender: WebhookSender = {
      send: (url, headers, body) =>
        through('send', async () => {
          const arrival = { at: clock.now, url, headers, body };
          arrivals.push(arrival);
          const nth = arrivals.filter((each) => each.url === url).length;
          const outcome = (await receivers.get(url)?.(nth, arrival)) ?? 'DELIVERED';
          return { outcome, status: STATUSES[outcome] ?? null, body: outcome, durationMs: 5 };
        }),
    };
    const deps: Deps = {
      table,
      now: () => new Date(clock.now + off),
      newId: (prefix) => newId(prefix, clock.now + off),
      settings: {
        ...{ publicUrl: '', appsDomain: 'apps.example', hostArnOf: (id) => id },
        ...{ allowLocalWebhooks: false, allowLocalRepositories: false, webhookRetrySchedule: schedule },
      },
      commit: async (writes, output) => {
        await table.transact(writes);
        return output;
      },
    };
    return { ...deps, queue, secrets, sender };
  }

  /** The stream hands over what is new, and the same again after a failure. @returns whether there was anything */
  async function stream(): Promise<boolean> {
    while (streamAt < memory.records.length && (trimmed || !wakes(memory.records[streamAt]))) streamAt += 1;
    const batch = memory.records.slice(streamAt, streamAt + 100);
    if (batch.length === 0) return false;
    try {
      await consume(webhookRules(processOf()))({ Records: batch });
      streamAt += batch.length;
    } catch {
      clock.now += 1000;
    }
    return true;
  }

  /** One invocation of the deliverer with what is visible. @returns whether there was anything */
  async function deliverBatch(): Promise<boolean> {
    const batch = messages.filter(({ visibleAt }) => visibleAt <= clock.now).slice(0, 10);
    if (batch.length === 0) return false;
    const deps = processOf({ off: skew });
    for (const each of batch) {
      each.visibleAt = clock.now + VISIBLE_AGAIN;
      each.receives += 1;
    }
    const done = await Promise.allSettled(batch.map(({ message }) => deliver(deps, message)));
    const finished = new Set(batch.filter((_, index) => done[index]?.status === 'fulfilled'));
    // A process that died acknowledges nothing.
    const died = done.some((each) => each.status === 'rejected' && each.reason instanceof Death);
    for (const each of batch) {
      if (each.receives < RECEIVES_MOST || finished.has(each)) continue;
      deadLetters.push(each.message);
      finished.add(each);
    }
    if (!died) messages = messages.filter((each) => !finished.has(each));
    return true;
  }

  async function tick(): Promise<void> {
    nextMinute += MINUTE;
    const deps = processOf();
    await reconcileDeliveries(deps).catch(() => undefined);
    await reconcileEvents(deps).catch(() => undefined);
  }

  const unsettled = () => memory.items('EVENT').some(({ duePk }) => duePk !== undefined);
  const deliveries = (): Delivery[] => memory.items('DELIVERY').map((item) => Delivery.parse(item));
  const caller: Caller = { accountId: 'acc_1', keyId: 'key_1' };
  /** A process that no fate meets: for setting up, and for what requests do. */
  const steady = processOf({ immortal: true });

  return {
    ...{ memory, clock, arrivals, caller, steady, deliveries, deadLetters },
    calls: () => calls,
    messages: () => messages,

    /** Registers an endpoint and says how its receiver behaves. */
    async endpoint(name: string, receiver: Receiver = () => 'DELIVERED', events = ['*']) {
      const url = `https://${name}.example.com/`;
      receivers.set(url, receiver);
      const input = { url, events, description: '' } as Parameters<typeof createWebhook>[2];
      const { data } = await createWebhook(steady, caller, input);
      return data;
    },
    async openAccount() {
      await memory.send('PutItem', { Item: { pk: { S: 'ACCOUNT#acc_1' }, sk: { S: 'ACCOUNT' } } });
    },
    event: (applicationId = 'app_1') =>
      steady.commit([emit(steady, caller.accountId, 'app.created', { applicationId, name: 'App' })], undefined),

    /** Runs everything until nothing is left to do, or until a time. @returns simulated milliseconds that it took */
    async settle(until = Number.POSITIVE_INFINITY): Promise<number> {
      const began = clock.now;
      let idleMinutes = 0;
      while (clock.now < until) {
        if ((await stream()) || (await deliverBatch())) {
          idleMinutes = 0;
          continue;
        }
        const pending = messages.length > 0 || unsettled() || deliveries().some(({ status }) => status === 'PENDING');
        // Two more minutes, for a reconciler that would wake something up.
        if (!pending && idleMinutes > 2) break;
        const nextMessage = Math.min(...messages.map(({ visibleAt }) => visibleAt));
        clock.now = Math.min(Math.max(clock.now, nextMessage), Math.max(clock.now, nextMinute), until);
        if (clock.now >= nextMinute) {
          await tick();
          if (!pending) idleMinutes += 1;
        }
      }
      return clock.now - began;
    },
  };
}

export type World = ReturnType<typeof webhookWorld>;

/** Whether a signature's `v1` parts hold this secret's, as a receiver computes it. */
export function signedWith(secret: string, { headers, body }: Arrival): boolean {
  const parts = (headers['x-service-signature'] ?? '').split(',');
  const t = parts[0]?.slice(2);
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return parts.slice(1).includes(`v1=${expected}`);
}
