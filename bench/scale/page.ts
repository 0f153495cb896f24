import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import {
  firstPace,
  MAX_RATE,
  RELEASE_REQUESTS,
  refill,
  secondsUntil,
  spend,
} from '../../domain/deployments/release-pace.ts';
import { roundRobin } from '../../domain/sweep/round-robin.ts';
import { STREAM } from '../../lib/concurrency.ts';
import { breaksAt, cellsFor, type Limit, limitsOf, PARTITION_WRITE_UNITS } from './breaks.ts';
import { type Heat, measureAll } from './heat.ts';
import { AVERAGE_ACCOUNT, DURATION_S, PEAK_FACTOR, PER_MONTH, RELEASE_MB } from './load.ts';
import { fairOrder, inOrder, type Job, serve } from './queues.ts';
import { countControlPlaneRequests } from './releases.ts';

const SIZES = [100, 10_000, 1_000_000] as const;

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
const percent = (share: number) => `${number(share * 100)}%`;
const table = (heads: readonly string[], lines: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const seconds = (milliseconds: number) => `${number(milliseconds / 1000)} s`;

/** Returns the table of capacity by operation. Keys of single items have no maximum, because no two customers share them. */
export function heatTable(heat: readonly Heat[]): string {
  const lines = heat.map(({ operation, key, scope, shards, writeUnits, readUnits }) => {
    const most = writeUnits > 0 ? number((PARTITION_WRITE_UNITS * shards) / writeUnits) : '';
    return [operation, `\`${key}\``, scope, number(writeUnits), number(readUnits), scope === 'item' ? '' : most];
  });
  return table(['operation', 'partition key', 'shared by', 'write units', 'read units', 'maximum per second'], lines);
}

function limitsTable(limits: readonly Limit[]): string {
  const lines = [...limits]
    .sort((a, b) => breaksAt(a) - breaksAt(b))
    .map((limit) => [
      `[${limit.name}](${limit.source})`,
      `${number(limit.value)} ${limit.unit}`,
      limit.scope,
      limit.adjustable ? 'yes' : 'no',
      ...SIZES.map((accounts) => percent(limit.demand(accounts) / limit.value)),
      number(breaksAt(limit)),
    ]);
  const heads = ['limit', 'value', 'applies to', 'AWS raises it', ...SIZES.map((size) => number(size)), 'reached at'];
  return table(heads, lines);
}

function cellsTable(limits: readonly Limit[]): string {
  const platform = limits.filter((limit) => limit.scope === 'platform');
  const ofCells = limits.filter((limit) => limit.scope === 'cell');
  const reached = (all: readonly Limit[], accounts: number) =>
    all
      .filter((limit) => breaksAt(limit) < accounts)
      .sort((a, b) => breaksAt(a) - breaksAt(b))
      .map(({ name, adjustable }) => (adjustable ? name : `**${name}**`))
      .join('; ') || 'none';
  const lines = SIZES.map((accounts) => [
    number(accounts),
    reached(ofCells, accounts),
    number(cellsFor(limits, accounts)),
    reached(platform, accounts),
  ]);
  return table(
    ['accounts', 'limits reached with one cell', 'cells needed', 'limits reached with any number of cells'],
    lines,
  );
}

/** Simulates the wait for a builder: a burst of one account, and one build of another. */
function buildsTable(): string {
  const takesMs = DURATION_S.build * 1000;
  const lines = [1, 10, 60].flatMap((builders) =>
    [60, 1000].map((burst) => {
      const jobs: Job[] = Array.from({ length: burst }, () => ({ group: 'busy', arrivesAt: 0, takesMs }));
      const other: Job = { group: 'other', arrivesAt: 1000, takesMs };
      const waitIn = (order: Parameters<typeof serve>[2]) => {
        const served = serve([...jobs, other], builders, order).find(({ group }) => group === 'other');
        return (served?.beganAt ?? Number.NaN) - other.arrivesAt;
      };
      const all = serve(jobs, builders, inOrder);
      const last = Math.max(...all.map(({ endedAt }) => endedAt));
      return [builders, burst, seconds(waitIn(fairOrder())), seconds(waitIn(inOrder)), seconds(last)].map(String);
    }),
  );
  const heads = ['builders', 'burst', "another account's wait", 'its wait without fairness', 'burst built after'];
  return table(heads, lines);
}

/** Simulates the wait in a cell's queue of releases: a burst of one account, and one release of another, at the pace that Lambda documents. */
function releasesTable(): string {
  const OTHER = { id: 'dep_other', accountId: 'other' };
  const lines = [60, 1000].map((burst) => {
    const busy = Array.from({ length: burst }, (_, at) => ({
      id: `dep_${String(at).padStart(4, '0')}`,
      accountId: 'busy',
    }));
    let line = busy;
    let at = 0;
    let pace = firstPace(new Date(0));
    let otherBegan = Number.NaN;
    for (let hasArrived = false; line.length > 0; ) {
      if (!hasArrived && at >= 1000) [line, hasArrived] = [[...line, OTHER], true];
      pace = refill(pace, new Date(at));
      const [next] = roundRobin(line, ({ accountId }) => accountId, pace.recent);
      const after = next && spend(pace, next.accountId);
      if (after) {
        pace = after;
        line = line.filter(({ id }) => id !== next.id);
        if (next.id === OTHER.id) otherBegan = at;
      } else at += Math.max(1, Math.ceil(secondsUntil(pace, 1, new Date(at)) * 1000));
    }
    return [String(burst), seconds(otherBegan - 1000), seconds(at)];
  });
  return table(['burst', "another account's wait", 'burst released after'], lines);
}

/** Changes per second that the stream of a new table delivers. */
const STREAM_RATE = (STREAM.firstShards * STREAM.lanesOfShard * STREAM.batchSize) / DURATION_S.streamBatch;

/** Computes the wait for a lane of the stream: a change behind a burst of another account's events, each with its own partition key. */
function streamTable(): string {
  const lines = [STREAM.firstShards, 4 * STREAM.firstShards].flatMap((shards) =>
    [500, 5000, 50_000].map((burst) => {
      const lanes = shards * STREAM.lanesOfShard;
      const wait = Math.ceil(burst / lanes / STREAM.batchSize) * DURATION_S.streamBatch;
      return [number(shards), number(lanes), number(burst), seconds(wait * 1000)];
    }),
  );
  return table(['shards', 'lanes', 'burst', "another account's wait"], lines);
}

function assumptions(): string {
  const load = Object.entries(PER_MONTH).map(([operation, count]) => [operation, number(count)]);
  const has = Object.entries(AVERAGE_ACCOUNT).map(([resource, count]) => [
    resource.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    number(count),
  ]);
  return [
    table(['an average account, in a month', 'count'], load),
    table(['an average account has', 'count'], has),
  ].join('\n\n');
}

/** Writes docs/scale.md. */
export async function scalePage(): Promise<string> {
  const heat = await measureAll();
  const controlPlaneRequests = await countControlPlaneRequests();
  const limits = limitsOf(heat, controlPlaneRequests);
  return `# Scale

This page says at how many accounts the platform reaches each limit of AWS. \`npm run bench -- scale\` writes it, and \`test/template/scale.test.ts\` fails
when it is out of date, for example because a partition key became hotter.

- **Counted:** the capacity of the table, by running the real domain functions over a table in memory that counts as DynamoDB does, and the requests of a
  release to Lambda's control plane.
- **Assumed:** the activity of an average account.

## Assumptions

${assumptions()}

The busiest second has ${PEAK_FACTOR} times the average. A request of a hosted application takes ${seconds(DURATION_S.hostedRequest * 1000)}, an API request ${seconds(DURATION_S.apiRequest * 1000)}, a delivery ${seconds(DURATION_S.delivery * 1000)}, an AI call
${seconds(DURATION_S.aiCall * 1000)}, a build ${seconds(DURATION_S.build * 1000)}. A release has ${RELEASE_MB} MB. To change these assumptions, edit \`bench/scale/load.ts\` and write the page again.

## Limits by number of accounts

The quotas are those of a new AWS account (\`contract/limits/aws-limits.ts\`). The columns 100, 10,000 and 1,000,000 have the use of the limit with so many accounts.
Above 100%, requests wait or are refused. _Reached at_ is the number of accounts at which the use is 100%.

${limitsTable(limits)}

## Cells by number of accounts

More hosting cells raise the limits of a cell, but not those of the platform. Bold limits cannot be raised.

${cellsTable(limits)}

- **Concurrency that applications reserve** is the first limit. Each application reserves what its plan allows, so that no application can take the share of
  others. A new account has ${AWS_LIMITS.lambdaConcurrency.value}, of which 100 stay unreserved. Request more before there are customers, or add cells.
- **\`NEXT_BUILD\` and \`INVOICE_NUMBERS\`** are single items that transactions of all accounts write. Conflicts limit them before capacity does: some tens of
  transactions on one item succeed in a second (assumed, because AWS does not document it). Invoice numbers have no gaps, so their item cannot be divided.

## Capacity by partition key

The table has the units of one operation, including the effects that follow from it. A partition key takes ${number(PARTITION_WRITE_UNITS)} write units in a second, regardless of
the table's capacity. _Maximum per second_ is the rate of the operation for all who share the key.

${heatTable(heat)}

## Waiting for a builder

In this simulation, builds take ${seconds(DURATION_S.build * 1000)}. An account queues a burst of builds, and a second later another account queues one. The order is that of the real scheduler
([0053](decisions/0053-build-scheduler.md)), which \`domain/deployments/scheduler.test.ts\` tests.

${buildsTable()}

## Waiting for a release

After its build, a release waits in a queue for Lambda's control plane. Each release of a cell needs ${RELEASE_REQUESTS} requests, and the control plane accepts ${MAX_RATE} a second. The simulation
uses the real order and pace (\`domain/deployments/release-queue.ts\`, \`release-pace.ts\`), as long as Lambda refuses no request. If it does, the pace falls.

${releasesTable()}

## Waiting for the stream

A shard of the table's stream has ${STREAM.lanesOfShard} lanes (\`ParallelizationFactor\`). Each lane processes some partition keys in order, with ${STREAM.batchSize} changes in a batch of about ${seconds(DURATION_S.streamBatch * 1000)}. Lambda
does not distinguish accounts there. Every event has its own partition key, so a burst of one account precedes others in all lanes, and passes through all lanes
concurrently. A new table has ${STREAM.firstShards} shards, and more as it grows. A batch only hands work over ([0060](decisions/0060-hand-over.md)), so its time does not depend on receivers.

${streamTable()}

${number(STREAM_RATE)} changes a second pass through ${STREAM.firstShards} shards. One account makes at most ${number(LIMITS.requestsPerMinute.amounts)} requests a minute, and causes about as many events: ${percent(LIMITS.requestsPerMinute.amounts / 60 / STREAM_RATE)} of that rate. The local
run has one shard and four lanes, in which accounts take turns ([0078](decisions/0078-fair-local-run.md)).
`;
}
