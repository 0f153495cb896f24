import { Agent, request } from 'node:http';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { startBase } from '../base.ts';
import { durationOf, measureAlternately, quantile, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { writeItems } from '../write-items.ts';

const TIMES = 400;
const WARM_UP = 200;
const TURNS = 5;
const CONCURRENCY = 20;
const LONG_LIST = 50_000;
const SHORT_LIST = 50;

/** Repeats work as fast as possible with limited concurrency. Returns the durations in milliseconds. */
async function repeatConcurrently(work: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  let remaining = TIMES;
  const worker = async () => {
    while (remaining > 0) {
      remaining -= 1;
      durations.push(await durationOf(work));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return durations;
}

/** Compares a request through the local HTTP server with the two table calls that every request needs, on DynamoDB Local. */
export async function rows(): Promise<Row[]> {
  const base = await startBase();
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '10000000' });
  try {
    const { AWS_ENDPOINT_URL_DYNAMODB: table, ...environment } = run.local.environment;
    Object.assign(process.env, environment);
    const [{ deps }, { Deployment }, { toStoredItem: itemOf }] = await Promise.all([
      import('../../runtime/deps.ts'),
      import('../../table/entities/deployments.ts'),
      import('../../table/writes.ts'),
    ]);
    const { secretKey, id: accountId } = run.local.accounts.demo;
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey });
    const createNamedApp = async (name: string) =>
      (await client.call(createApp, { body: { name, framework: 'NODE' } })).body.data.id;
    const [short, long] = [await createNamedApp('Short list'), await createNamedApp('Long list')];
    const TableName = process.env.TABLE_NAME;
    const headers = { authorization: `Bearer ${secretKey}` };
    const agent = new Agent({ keepAlive: true });
    // Uses Node's plain HTTP client, as the compared table calls do.
    const get = (path: string) =>
      new Promise<void>((resolve, reject) => {
        const outgoing = request(run.local.baseUrl + path, { agent, headers }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
          answer.on('end', resolve).on('error', reject).resume();
        });
        outgoing.on('error', reject).end();
      });
    const getShort = () => get(getApp.path.replace('{id}', short));
    for (let count = 0; count < WARM_UP; count += 1) await Promise.all([getShort(), base.run()]);
    const single = await measureAlternately(TIMES, getShort, base.run);
    const latencies: number[] = [];
    const concurrent = await measureAlternately(
      TURNS,
      async () => latencies.push(...(await repeatConcurrently(getShort))),
      () => repeatConcurrently(base.run),
    );

    const deployment = (applicationId: string) => {
      const now = deps.now().toISOString();
      const notes = ['==> Release', '==> The new release is live'];
      const state = {
        status: 'SUCCEEDED',
        trigger: 'API',
        commitSha: '0123456',
        startedAt: now,
        finishedAt: now,
        notes,
      } as const;
      return itemOf(Deployment, { ...state, accountId, applicationId, id: deps.newId('dep') });
    };
    const fill = (applicationId: string, count: number) =>
      writeItems(
        { endpoint: String(table), tableName: String(TableName) },
        Array.from({ length: count }, () => deployment(applicationId)),
      );
    await fill(short, SHORT_LIST);
    await fill(long, LONG_LIST);
    const list = (id: string) => () => get(`/v1/apps/${id}/deployments?limit=50`);
    for (let count = 0; count < 50; count += 1) await Promise.all([list(short)(), list(long)()]);
    const page = await measureAlternately(TIMES, list(long), list(short));
    return [
      { name: 'GET /v1/apps/{id}, against a bare UpdateItem and GetItem', ...single, unit: 'ms', maxRatio: 1.3 },
      {
        name: `${TIMES} reads of GET /v1/apps/{id}, ${CONCURRENCY} concurrently, against the bare calls`,
        ...concurrent,
        unit: 'ms',
        maxRatio: 1.25,
      },
      {
        name: `p95 of these reads, ${CONCURRENCY} concurrently, against their median`,
        ours: quantile(latencies, 0.95),
        baseline: quantile(latencies, 0.5),
        unit: 'ms',
        maxRatio: 3,
      },
      { name: `first page of ${LONG_LIST} deployments, against ${SHORT_LIST}`, ...page, unit: 'ms', maxRatio: 1.3 },
    ];
  } finally {
    await run.stop();
    await base.stop();
  }
}
