import type { Receiver, World } from '../test/webhook-world.ts';
import { webhookWorld } from '../test/webhook-world.ts';
import type { Row } from './measure.ts';

/** US dollars for a million of each (us-east-1, on demand; af-south-1 is about a fifth more). */
const PRICES = { writeUnit: 0.625, readUnit: 0.125, queueRequest: 0.4, invocation: 0.2, gigabyteSecond: 13.3334 };
/** Write units of each write: the item, doubled in a transaction, and the indexes that it changes (items up to 1 kB). */
const WRITE_UNITS = { event: 2, delivery: 4, delivered: 3, failed: 2 + 1 + 2 + 2, exhausted: 2 + 1 + 1 + 2 };
const SENDER_GIGABYTES = 0.5;
const EVENTS = 20;

interface Counted {
  attempts: number;
  failed: number;
  deliveries: number;
  exhausted: number;
  reads: number;
  sends: number;
}

/** What so many events make happen, counted from the calls of a run (test/webhook-world.ts). */
async function count(endpoints: number, failing: number): Promise<Counted> {
  const calls: string[] = [];
  const world: World = webhookWorld({
    fate: (_, when, what) => {
      if (when === 'before') calls.push(what);
      return undefined;
    },
  });
  await world.openAccount();
  // Every n-th request of a receiver fails: of five in a hundred, all succeed the second time.
  const receiver: Receiver = (nth) =>
    failing === 1 || (failing > 0 && nth % Math.round(1 / failing) === 0) ? 'BAD_STATUS' : 'DELIVERED';
  for (let index = 0; index < endpoints; index += 1) await world.endpoint(`to-${index}`, receiver);
  for (let index = 0; index < EVENTS / 10; index += 1) {
    for (let each = 0; each < (failing === 1 ? 4 : 10); each += 1) await world.event(`app_${index}_${each}`);
    await world.settle();
  }
  const deliveries = world.deliveries();
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  const reads =
    calls.filter((what) => what === 'table GetItem').length + calls.filter((what) => what === 'table Query').length;
  return {
    attempts: attempts.length,
    failed: attempts.filter(({ outcome }) => outcome !== 'DELIVERED').length,
    deliveries: deliveries.length,
    exhausted: deliveries.filter(({ status }) => status === 'FAILED').length,
    reads,
    sends: calls.filter((what) => what === 'queue').length,
  };
}

/** Prints the table of docs/costs.md: dollars for a million events. */
export async function rows(): Promise<Row[]> {
  for (const endpoints of [1, 5]) {
    for (const failing of [0, 0.05, 1]) {
      const { attempts, failed, deliveries, exhausted, reads, sends } = await count(endpoints, failing);
      const events = deliveries / endpoints;
      const per = (value: number) => value / events;
      const writes =
        WRITE_UNITS.event * events +
        WRITE_UNITS.delivery * deliveries +
        WRITE_UNITS.delivered * (attempts - failed) +
        WRITE_UNITS.failed * (failed - exhausted) +
        WRITE_UNITS.exhausted * exhausted;
      const seconds = attempts * 0.25;
      const dollars =
        per(writes) * PRICES.writeUnit +
        per(reads) * PRICES.readUnit +
        // A send, a receive and a delete; receives and deletes take ten at a time where there are ten.
        per(sends + 2 * attempts) * PRICES.queueRequest +
        per(attempts + events) * PRICES.invocation +
        per(seconds * SENDER_GIGABYTES) * PRICES.gigabyteSecond;
      console.log(
        `| ${endpoints} | ${failing * 100}% | ${per(attempts).toFixed(2)} | ${(1 + per(deliveries + attempts + failed)).toFixed(2)} | ${per(writes).toFixed(1)} | ${per(reads).toFixed(1)} | ${per(sends).toFixed(2)} | $${dollars.toFixed(2)} |`,
      );
    }
  }
  return [];
}
