import { type DeliveryQueue, MAX_DELAY_SECONDS } from '../../providers/webhooks/delivery-queue.ts';
import { ATTEMPT_GRACE_MS, Delivery, queuedAt } from '../../table/entities/webhooks.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { type DueQueue, sweep } from '../sweep/sweep.ts';
import { type SweepJob, sweepJob, sweepOnce } from '../sweep/sweep-all.ts';
import { timestampAfter, timestampBefore } from '../time.ts';
import { toMessage } from './fan-out.ts';

type QueueDeps = Pick<Deps, 'table' | 'now'> & { queue: DeliveryQueue };

/** Larger than the sweep's defaults, because deliveries are many. */
const SIZES = { pageSize: 500, concurrency: 100 };
/**
 * Attempts that fall due within this time are queued, in milliseconds. It is the longest delay of an SQS message, less the minute
 * between two runs.
 */
const HORIZON_MS = (MAX_DELAY_SECONDS - 60) * 1000;

/** Queues an attempt, delayed until it is due. */
const enqueue = ({ queue, now }: QueueDeps, delivery: Delivery): Promise<void> => {
  const delayMs = Date.parse(delivery.nextAttemptAt ?? '') - now().getTime();
  return queue.send([{ message: toMessage(delivery), delay: Math.max(0, delayMs / 1000 || 0) }]);
};

/** Queues attempts that were too far in the future for SQS and are due soon. Their items are not changed, so that it costs no write. */
const upcoming: DueQueue<typeof Delivery, QueueDeps> = {
  queue: 'DELIVERY#WAITING',
  entity: Delivery,
  ...SIZES,
  act: async (deps, delivery) => {
    if (delivery.status === 'PENDING') await enqueue(deps, delivery);
  },
};

/**
 * Queues overdue attempts again, because their message was lost. The interval to the next such requeue doubles each time.
 * @returns the lateness of an attempt, in milliseconds
 */
const overdue = (queue: 'DELIVERY#QUEUED' | 'DELIVERY#WAITING'): DueQueue<typeof Delivery, QueueDeps, number> => ({
  queue,
  entity: Delivery,
  ...SIZES,
  act: async (deps, delivery, { dueAt }) => {
    if (delivery.status !== 'PENDING') return undefined;
    await enqueue(deps, delivery);
    const now = deps.now();
    const late = now.getTime() - new Date(delivery.nextAttemptAt ?? now).getTime();
    const { accountId, id, step } = delivery;
    const set = queuedAt(id, now.toISOString(), ATTEMPT_GRACE_MS + late);
    const when = { step: { is: step }, dueAt: { is: dueAt } };
    await tryChange(deps, Delivery, { accountId, id }, { set, when });
    return late;
  },
});

/** The sweeps of deliveries: attempts that are due soon, and attempts whose message was lost. */
export const deliverySweeps = (deps: QueueDeps) => ({
  upcomingDeliveries: ((part) =>
    sweepOnce(deps, upcoming, 'deliveries', {
      ...part,
      until: timestampAfter(deps.now(), HORIZON_MS),
    })) satisfies SweepJob,
  queuedDeliveries: sweepJob(deps, overdue('DELIVERY#QUEUED')),
  waitingDeliveries: ((part) =>
    sweep(deps, overdue('DELIVERY#WAITING'), {
      ...part,
      until: timestampBefore(deps.now(), ATTEMPT_GRACE_MS),
    })) satisfies SweepJob<number>,
});
