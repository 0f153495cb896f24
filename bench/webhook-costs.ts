import type { Receiver, World } from '../test/webhook-world.ts';
import { webhookWorld } from '../test/webhook-world.ts';
import type { Row } from './measure.ts';

/** US dollars for a million of each (us-east-1, on demand; af-south-1 is about a fifth more). */
const PRICES = { writeUnit: 0.625, readUnit: 0.125, queueRequest: 0.4, invocation: 0.2, gigabyteSecond: 13.3334 };
const SENDER_GIGABYTES = 0.5;

/** What one event makes happen. */
interface Counted {
  attempts: number;
  writes: number;
  writeUnits: number;
  reads: number;
  sends: number;
}

/** Counted from the calls of a run (test/webhook-world.ts), for an event. */
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
  const already = world.memory.written.length;
  // Where all fail, so many that their endpoints are not disabled yet.
  const [rounds, each] = failing === 1 ? [2, 4] : [4, 10];
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < each; index += 1) await world.event(`app_${round}_${index}`);
    await world.settle();
  }
  // The reconciler's own mark is one write a minute, for all events of everybody.
  const written = world.memory.written.slice(already).filter(({ entity }) => entity !== 'SWEEP');
  const called = (...kinds: string[]) => calls.filter((what) => kinds.includes(what)).length;
  const per = (value: number) => value / (rounds * each);
  return {
    attempts: per(world.arrivals.length),
    writes: per(written.length),
    writeUnits: per(written.reduce((sum, { units }) => sum + units, 0)),
    reads: per(called('table GetItem', 'table Query')),
    sends: per(called('queue')),
  };
}

function dollarsOf({ attempts, writeUnits, reads, sends }: Counted): number {
  const gigabyteSeconds = attempts * 0.25 * SENDER_GIGABYTES;
  return (
    writeUnits * PRICES.writeUnit +
    reads * PRICES.readUnit +
    // A send, a receive and a delete; receives and deletes take ten at a time where there are ten.
    (sends + 2 * attempts) * PRICES.queueRequest +
    (attempts + 1) * PRICES.invocation +
    gigabyteSeconds * PRICES.gigabyteSecond
  );
}

/** Prints the table of docs/costs.md: dollars for a million events. And holds the writes to what they may be. */
export async function rows(): Promise<Row[]> {
  const made: Row[] = [];
  for (const endpoints of [1, 5]) {
    for (const failing of [0, 0.05, 1]) {
      const counted = await count(endpoints, failing);
      const { attempts, writes, writeUnits, reads, sends } = counted;
      const cells = [attempts.toFixed(2), writes.toFixed(2), writeUnits.toFixed(1), reads.toFixed(1), sends.toFixed(2)];
      console.log(`| ${endpoints} | ${failing * 100}% | ${cells.join(' | ')} | $${dollarsOf(counted).toFixed(2)} |`);
      made.push({
        what: `writes of an event to ${endpoints}, ${failing * 100}% failing, against 2 and 2 each`,
        ...{ ours: writes, against: 2 + 2 * attempts, unit: '', atMost: 1 },
      });
    }
  }
  return made;
}
