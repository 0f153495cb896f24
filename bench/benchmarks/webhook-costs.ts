import { type Receiver, webhookSimulation } from '../../test/simulation/webhooks.ts';
import type { Row } from '../measure.ts';

/** US dollars per million units (us-east-1, on demand; af-south-1 costs about a fifth more). */
const PRICES = { writeUnit: 0.625, readUnit: 0.125, queueRequest: 0.4, invocation: 0.2, gigabyteSecond: 13.3334 };
const SENDER_GIGABYTES = 0.25;

/** Operations per event. */
interface Counted {
  attempts: number;
  writes: number;
  writeUnits: number;
  reads: number;
  sends: number;
}

/** Counts the calls of a simulation (test/simulation/webhooks.ts) per event. */
async function count(endpoints: number, failing: number): Promise<Counted> {
  const calls: string[] = [];
  const simulation = webhookSimulation({
    faults: ({ when, what }) => {
      if (when === 'before') calls.push(what);
      return undefined;
    },
  });
  await simulation.openAccount();
  // Every n-th request of a receiver fails. At 5%, every delivery succeeds on the second attempt.
  const receiver: Receiver = (nth) =>
    failing === 1 || (failing > 0 && nth % Math.round(1 / failing) === 0) ? 'BAD_STATUS' : 'DELIVERED';
  for (let index = 0; index < endpoints; index += 1) await simulation.endpoint(`to-${index}`, receiver);
  const writesBefore = simulation.memory.written.length;
  // If all requests fail, sends few enough events that no endpoint is disabled.
  const [rounds, eventsPerRound] = failing === 1 ? [2, 4] : [4, 10];
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < eventsPerRound; index += 1) await simulation.event(`app_${round}_${index}`);
    await simulation.runUntilIdle();
  }
  // Leaves out the reconciler's marker, which is one write per minute for all events.
  const written = simulation.memory.written.slice(writesBefore).filter(({ entity }) => entity !== 'SWEEP');
  const called = (...kinds: string[]) => calls.filter((what) => kinds.includes(what)).length;
  const per = (value: number) => value / (rounds * eventsPerRound);
  return {
    attempts: per(simulation.arrivals.length),
    writes: per(written.length),
    writeUnits: per(written.reduce((sum, { units }) => sum + units, 0)),
    reads: per(called('table.GetItem', 'table.Query')),
    sends: per(called('queue.send')),
  };
}

function dollarsOf({ attempts, writeUnits, reads, sends }: Counted): number {
  const gigabyteSeconds = attempts * 0.25 * SENDER_GIGABYTES;
  return (
    writeUnits * PRICES.writeUnit +
    reads * PRICES.readUnit +
    // A send, a receive and a delete: each message is received and deleted individually.
    (sends + 2 * attempts) * PRICES.queueRequest +
    (attempts + 1) * PRICES.invocation +
    gigabyteSeconds * PRICES.gigabyteSecond
  );
}

/** Prints the table of docs/costs.md (dollars per million events) and checks the number of writes. */
export async function rows(): Promise<Row[]> {
  const results: Row[] = [];
  for (const endpoints of [1, 5]) {
    for (const failing of [0, 0.05, 1]) {
      const counted = await count(endpoints, failing);
      const { attempts, writes, writeUnits, reads, sends } = counted;
      const cells = [attempts.toFixed(2), writes.toFixed(2), writeUnits.toFixed(1), reads.toFixed(1), sends.toFixed(2)];
      console.log(`| ${endpoints} | ${failing * 100}% | ${cells.join(' | ')} | $${dollarsOf(counted).toFixed(2)} |`);
      results.push({
        name: `writes of an event to ${endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`}, ${failing * 100}% failing, against 2 and 3 per attempt`,
        ours: writes,
        baseline: 2 + 3 * attempts,
        unit: '',
        maxRatio: 1,
      });
    }
  }
  return results;
}
