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
import { DURATION_S, HAS, PEAK, PER_MONTH, RELEASE_MB } from './load.ts';
import { fairOrder, inOrder, type Job, serve } from './queues.ts';
import { countControlPlaneRequests } from './releases.ts';

const SIZES = [100, 10_000, 1_000_000] as const;

const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
const percent = (share: number) => `${number(share * 100)}%`;
const table = (heads: readonly string[], lines: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const seconds = (milliseconds: number) => `${number(milliseconds / 1000)} s`;

/** Capacity of each operation; keys of single items are one line, as no two customers meet there. */
export function heatTable(heat: readonly Heat[]): string {
  const lines = heat.map(({ operation, key, scope, shards, writeUnits, readUnits }) => {
    const most = writeUnits > 0 ? number((PARTITION_WRITE_UNITS * shards) / writeUnits) : '';
    return [operation, `\`${key}\``, scope, number(writeUnits), number(readUnits), scope === 'item' ? '' : most];
  });
  return table(['operation', 'partition key', 'shared by', 'write units', 'read units', 'most per second'], lines);
}

function limitsTable(limits: readonly Limit[]): string {
  const lines = [...limits]
    .sort((a, b) => breaksAt(a) - breaksAt(b))
    .map((limit) => [
      `[${limit.what}](${limit.source})`,
      `${number(limit.value)} ${limit.unit}`,
      limit.of,
      limit.adjustable ? 'yes' : 'no',
      ...SIZES.map((accounts) => percent(limit.taken(accounts) / limit.value)),
      number(breaksAt(limit)),
    ]);
  const heads = ['limit', 'value', 'of each', 'raised on request', ...SIZES.map((size) => number(size)), 'breaks at'];
  return table(heads, lines);
}

function cellsTable(limits: readonly Limit[]): string {
  const platform = limits.filter((limit) => limit.of === 'platform');
  const ofCells = limits.filter((limit) => limit.of === 'cell');
  const reached = (all: readonly Limit[], accounts: number) =>
    all
      .filter((limit) => breaksAt(limit) < accounts)
      .sort((a, b) => breaksAt(a) - breaksAt(b))
      .map(({ what, adjustable }) => (adjustable ? what : `**${what}**`))
      .join('; ') || 'none';
  const lines = SIZES.map((accounts) => [
    number(accounts),
    reached(ofCells, accounts),
    number(cellsFor(limits, accounts)),
    reached(platform, accounts),
  ]);
  return table(['accounts', 'reached with one cell', 'cells needed', 'reached however many cells there are'], lines);
}

/** Waits for a builder: a burst of one account beside one build of another. */
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
  const heads = ['builders', 'burst', "another account's wait", 'the same without fairness', 'burst built after'];
  return table(heads, lines);
}

/** Waits for a release's turn in a cell: a burst of one account beside one release of another, at the pace that Lambda documents. */
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

/** Changes a second that the stream of a new table passes on. */
const STREAM_RATE = (STREAM.firstShards * STREAM.lanesOfShard * STREAM.batchSize) / DURATION_S.streamBatch;

/** Waits for a lane of the stream: a change behind a burst of another account's events, each of a partition key of its own. */
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
  const each = Object.entries(PER_MONTH).map(([what, count]) => [what, number(count)]);
  const has = Object.entries(HAS).map(([what, count]) => [
    what.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    number(count),
  ]);
  return [table(['an average account, in a month', ''], each), table(['and has', ''], has)].join('\n\n');
}

/** Writes docs/scale.md. */
export async function scalePage(): Promise<string> {
  const heat = await measureAll();
  const controlPlaneRequests = await countControlPlaneRequests();
  const limits = limitsOf(heat, controlPlaneRequests);
  return `# Scale

Where the platform breaks, and at how many accounts. \`npm run bench -- scale\` writes this page; \`test/template/scale.test.ts\` fails when it is not true
any more, for example because a partition key became hotter. Counted are the capacity of the table (the real domain functions, run over a table in memory
that counts as DynamoDB does) and Lambda's control plane requests of a release. Assumed is what an average account does.

## Assumptions

${assumptions()}

The busiest second has ${PEAK} times the average. A request of a hosted application takes ${seconds(DURATION_S.hostedRequest * 1000)}, an API request ${seconds(DURATION_S.apiRequest * 1000)}, a delivery ${seconds(DURATION_S.delivery * 1000)}, an AI call
${seconds(DURATION_S.aiCall * 1000)}, a build ${seconds(DURATION_S.build * 1000)}; a release has ${RELEASE_MB} MB. They stand in \`bench/scale/load.ts\`: change them, and the page is computed again.

## Breaks at

Quotas are those that a new AWS account has (\`contract/limits/aws-limits.ts\`). What is above 100% is reached: requests wait or are refused.

${limitsTable(limits)}

Bold limits cannot be raised.

${cellsTable(limits)}

- **Concurrency that applications reserve** is the first limit of all: each application reserves what its plan allows
  (${AWS_LIMITS.lambdaConcurrency.value} in a new account, of which 100 stay unreserved), so that none can take the others' share. Ask for more before there are customers, or add
  cells.
- **\`NEXT_BUILD\` and \`INVOICE_NUMBERS\`** are single items that transactions of all accounts write. Capacity is not what ends first there, but conflicts: of
  transactions on one item some tens succeed in a second (not documented by AWS; assumed). Invoice numbers have no gaps, so their item cannot be divided.

## Capacity by partition key

Units of one operation with all that follows from it. A partition key takes ${number(PARTITION_WRITE_UNITS)} write units in a second, however much the table has; _most per second_
is how often the operation can happen for everybody who shares the key.

${heatTable(heat)}

## Waiting for a builder

Discrete events with builds of ${seconds(DURATION_S.build * 1000)}: an account queues a burst, and a second later another account one deployment. The order is the scheduler's
([0053](decisions/0053-build-scheduler.md)), which \`domain/deployments/scheduler.test.ts\` tests as it is.

${buildsTable()}

## Waiting for a release

What is built waits for its turn in front of Lambda's control plane, ${RELEASE_REQUESTS} of its ${MAX_RATE} requests a second for each release of a cell. These are the scheduler's own order and pace
(\`domain/deployments/release-queue.ts\`, \`release-pace.ts\`), as long as Lambda refuses nothing; where it does, the pace falls.

${releasesTable()}

## Waiting for the stream

A shard of the table's stream has ${STREAM.lanesOfShard} lanes (\`ParallelizationFactor\`), each of which processes some partition keys in order, ${STREAM.batchSize} changes in a batch of about ${seconds(DURATION_S.streamBatch * 1000)}. Lambda
knows no accounts there: every event has a partition key of its own, so that a burst of one account is in front of others in all lanes, and passes through all of them at once.
The table has ${STREAM.firstShards} shards when it is new, and more as it grows. A batch only hands over ([0060](decisions/0060-hand-over.md)), so its time does not depend on receivers.

${streamTable()}

${number(STREAM_RATE)} changes a second pass through ${STREAM.firstShards} shards. One account makes ${number(LIMITS.requestsPerMinute.amounts)} requests a minute, and so about as many events: ${percent(LIMITS.requestsPerMinute.amounts / 60 / STREAM_RATE)} of that. The local
run has one shard and four lanes, in which accounts take turns ([0078](decisions/0078-fair-local-run.md)).
`;
}
