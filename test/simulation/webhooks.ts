import { createHmac } from 'node:crypto';
import type { Caller } from '../../domain/deps.ts';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { sweepAll } from '../../domain/sweep/sweep-all.ts';
import { type AttemptResult, deliver, postpone } from '../../domain/webhooks/deliver.ts';
import { deliverySweeps } from '../../domain/webhooks/delivery-sweep.ts';
import { createWebhook } from '../../domain/webhooks/endpoints.ts';
import { eventSweeps } from '../../domain/webhooks/event-sweep.ts';
import { emit } from '../../domain/webhooks/events.ts';
import { consume } from '../../events/consume.ts';
import { webhookRules } from '../../events/webhooks.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import type { DeliveryMessage, DeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import type { Sent, WebhookSender } from '../../providers/webhooks/sender.ts';
import { Delivery, DeliveryAttempt } from '../../table/entities/webhooks.ts';
import { newSimulatedAccount } from './account.ts';
import { type FaultPlan, noFaults, type ProcessOptions, SimulatedCrash, START, simulation } from './simulation.ts';

/**
 * Everything between an event's write and its receivers: the real rules, domain functions and table module, a queue that
 * delivers at least once, and receivers that answer as a test says.
 */

/** Checks whether the stream's filter lets a record through (lib/stacks/stream.ts). */
function passesFilter(record: unknown): boolean {
  const text = JSON.stringify(record);
  if (/"sk":\{"S":"EVENT"\}/.test(text)) return /"eventName":"INSERT"/.test(text);
  return !/"S":"(DELIVERY|ATTEMPT|SWEEP)"/.test(text) || /"resendAt"/.test(text);
}

export interface Arrival {
  at: number;
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Outcome = Sent['outcome'];
/** A receiver's answer to its n-th request (from 1). */
export type Receiver = (nth: number, arrival: Arrival) => Outcome | Promise<Outcome>;

export interface WebhookSimulationOptions {
  /** Seconds from each failed attempt to the next. */
  schedule?: readonly number[];
  /** Deviation of the deliverer's clock, in milliseconds. */
  skewMs?: number;
  /** Tells whether deliveries are switched off. */
  isOff?: () => boolean;
  /** True when the stream delivers nothing, because its consumer was away for longer than the stream keeps records. */
  streamTrimmed?: boolean;
  /** Tells whether the deliverer is invoked at all. */
  isDown?: () => boolean;
  /** Hears of every attempt, and of every sweep of overdue deliveries, as the functions that report them. */
  onAttempt?: (message: DeliveryMessage, result: AttemptResult) => void;
  onOverdue?: (report: SweepReport<number>) => void;
  /** Milliseconds that an attempt at a receiver takes; 5 unless given. */
  durationOf?: (url: string) => number;
  /** The text of every response; the outcome unless given. */
  responseBody?: string;
  faults?: FaultPlan;
}

const MINUTE_MS = 60_000;
const VISIBILITY_TIMEOUT_MS = 30_000;
const MAX_RECEIVES = 10;
const STATUSES: Partial<Record<Outcome, number>> = { DELIVERED: 200, BAD_STATUS: 500, REDIRECT: 301 };

export function webhookSimulation({
  schedule = [60, 300, 1800, 7200, 43_200],
  skewMs = 0,
  streamTrimmed = false,
  responseBody,
  durationOf = () => 5,
  faults = noFaults,
  isOff = () => false,
  isDown = () => false,
  onAttempt = () => {},
  onOverdue = () => {},
}: WebhookSimulationOptions = {}) {
  const { memory, clock, calls, ...simulated } = simulation({ faults, settings: { webhookRetrySchedule: schedule } });
  const receivers = new Map<string, Receiver>();
  const arrivals: Arrival[] = [];
  let messages: { message: DeliveryMessage; visibleAt: number; receives: number }[] = [];
  const deadLetters: DeliveryMessage[] = [];
  let streamAt = 0;
  let nextMinute = START + MINUTE_MS;

  const queue: DeliveryQueue = {
    async send(queued) {
      for (const { message, delay } of queued) {
        if (delay > 900) throw new Error(`a delay of ${delay} s`);
        messages.push({ message, visibleAt: clock.now + Math.ceil(delay) * 1000, receives: 0 });
      }
    },
  };
  const secrets: Secrets = {
    seal: async (_, text) => ({ wrappedKey: 'k', iv: 'i', ciphertext: `sealed ${text}` }),
    unseal: async (_, sealed) => sealed.ciphertext.slice('sealed '.length),
  };
  const sender: WebhookSender = {
    async send(url, headers, body) {
      const arrival = { at: clock.now, url, headers, body };
      arrivals.push(arrival);
      const nth = arrivals.filter((each) => each.url === url).length;
      const outcome = (await receivers.get(url)?.(nth, arrival)) ?? 'DELIVERED';
      const answer = { status: STATUSES[outcome] ?? null, body: responseBody ?? outcome, headers: 'X-Simulated: yes' };
      const timing = { dnsMs: 1, connectMs: 1, tlsMs: 1, firstByteMs: 2 };
      return { outcome, ...answer, timing, durationMs: durationOf(url) };
    },
  };
  /** A process with every provider that webhooks use. */
  function startProcess(options: ProcessOptions = {}) {
    const { deps, port } = simulated.startProcess(options);
    const sendQueued = port('queue', queue);
    return {
      ...deps,
      // Sending nothing is no call.
      queue: {
        send: (queued: Parameters<DeliveryQueue['send']>[0]) =>
          queued.length > 0 ? sendQueued.send(queued) : Promise.resolve(),
      },
      secrets: port('secrets', secrets),
      sender: port('sender', sender),
    };
  }

  /** Hands the stream's new records to the rules, and the same again after a failure. @returns whether there were any */
  async function consumeStream(): Promise<boolean> {
    while (streamAt < memory.records.length && (streamTrimmed || !passesFilter(memory.records[streamAt])))
      streamAt += 1;
    const batch = memory.records.slice(streamAt, streamAt + 100);
    if (batch.length === 0) return false;
    try {
      await consume(webhookRules(startProcess()))({ Records: batch });
      streamAt += batch.length;
    } catch {
      clock.now += 1000;
    }
    return true;
  }

  /** Invokes the deliverer once with the visible messages. @returns whether there were any */
  async function deliverBatch(): Promise<boolean> {
    const batch = isDown() ? [] : messages.filter(({ visibleAt }) => visibleAt <= clock.now).slice(0, 10);
    if (batch.length === 0) return false;
    const deps = startProcess({ skewMs });
    for (const each of batch) {
      each.visibleAt = clock.now + VISIBILITY_TIMEOUT_MS;
      each.receives += 1;
    }
    const done = await Promise.allSettled(
      batch.map(async ({ message }) => onAttempt(message, await (isOff() ? postpone : deliver)(deps, message))),
    );
    const finished = new Set(batch.filter((_, index) => done[index]?.status === 'fulfilled'));
    // A crashed process acknowledges nothing.
    const crashed = done.some((each) => each.status === 'rejected' && each.reason instanceof SimulatedCrash);
    for (const each of batch) {
      if (each.receives < MAX_RECEIVES || finished.has(each)) continue;
      deadLetters.push(each.message);
      finished.add(each);
    }
    if (!crashed) messages = messages.filter((each) => !finished.has(each));
    return true;
  }

  async function runReconciler(): Promise<void> {
    nextMinute += MINUTE_MS;
    const deps = startProcess();
    const { queuedDeliveries, waitingDeliveries, ...others } = deliverySweeps(deps);
    const reported: typeof queuedDeliveries = async (part) => {
      const swept = await queuedDeliveries(part);
      onOverdue(swept);
      return swept;
    };
    const jobs = { queuedDeliveries: reported, waitingDeliveries, ...others, ...eventSweeps(deps) };
    await sweepAll(deps, jobs, () => undefined);
  }

  const unsettled = () => memory.items('EVENT').some(({ duePk }) => duePk !== undefined);
  /** The deliveries, each with all attempts that it has made. */
  const deliveries = (): Delivery[] => {
    const stored = memory.items('DELIVERY_ATTEMPT').map((item) => DeliveryAttempt.parse(item));
    return memory.items('DELIVERY').map((item) => {
      const delivery = Delivery.parse(item);
      const own = stored.filter(
        ({ deliveryId, number }) => deliveryId === delivery.id && number < (delivery.made?.count ?? 0),
      );
      return { ...delivery, attempts: [...delivery.attempts, ...own.sort((a, b) => a.number - b.number)] };
    });
  };
  const caller: Caller = { accountId: 'acc_1', keyId: 'key_1' };
  /** A process that no fault reaches: for setting up, and for what requests do. */
  const steady = startProcess({ faults: noFaults });

  return {
    memory,
    clock,
    arrivals,
    caller,
    steady,
    deliveries,
    deadLetters,
    calls,
    messages: () => messages,
    consumeStream,
    deliverBatch,
    lastEventId: () => memory.items('EVENT').at(-1)?.id,

    /** Registers an endpoint with the behavior of its receiver. */
    async endpoint(name: string, receiver: Receiver = () => 'DELIVERED', events = ['*']) {
      const url = `https://${name}.example.com/`;
      receivers.set(url, receiver);
      const input = { url, events, description: '' } as Parameters<typeof createWebhook>[2];
      const { data } = await createWebhook(steady, caller, input);
      return data;
    },
    async openAccount() {
      await memory.table.transact([newSimulatedAccount(caller.accountId)]);
    },
    event: (applicationId = 'app_1', name = 'App') =>
      steady.commit([emit(steady, caller.accountId, 'app.created', { applicationId, name })], undefined),

    /** Runs everything until nothing is left to do, or until a time. @returns the simulated milliseconds that passed */
    async runUntilIdle(until = Number.POSITIVE_INFINITY): Promise<number> {
      const began = clock.now;
      let idleMinutes = 0;
      while (clock.now < until) {
        if ((await consumeStream()) || (await deliverBatch())) {
          idleMinutes = 0;
          continue;
        }
        const pending =
          messages.length > 0 || unsettled() || memory.items('DELIVERY').some(({ status }) => status === 'PENDING');
        // Two more minutes: the reconciler might find something to do.
        if (!pending && idleMinutes > 2) break;
        const nextMessage = isDown() ? nextMinute : Math.min(...messages.map(({ visibleAt }) => visibleAt));
        clock.now = Math.min(Math.max(clock.now, nextMessage), Math.max(clock.now, nextMinute), until);
        if (clock.now >= nextMinute) {
          await runReconciler();
          if (!pending) idleMinutes += 1;
        }
      }
      return clock.now - began;
    },
  };
}

export type WebhookSimulation = ReturnType<typeof webhookSimulation>;

/** Checks whether a signature's `v1` parts hold this secret's, as a receiver computes it. */
export function signedWith(secret: string, { headers, body }: Arrival): boolean {
  const parts = (headers['x-service-signature'] ?? '').split(',');
  const t = parts[0]?.slice(2);
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  return parts.slice(1).includes(`v1=${expected}`);
}
