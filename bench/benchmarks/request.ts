import { Agent, request } from 'node:http';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { startBase } from '../base.ts';
import { byTurns, quantile, type Row, timed } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { writeItems } from '../write-items.ts';

const TIMES = 400;
const WARM_UP = 200;
const TURNS = 5;
const AT_ONCE = 20;
const LONG_LIST = 50_000;
const SHORT_LIST = 50;

/** Repeats work as fast as it goes with limited concurrency. Returns the durations in milliseconds. */
async function atOnce(work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  let left = TIMES;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      taken.push(await timed(work));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return taken;
}

/** Compares a request through the local HTTP server with its two indispensable table calls, on DynamoDB Local. */
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
    const made = async (name: string) =>
      (await client.call(createApp, { body: { name, framework: 'NODE' } })).body.data.id;
    const [short, long] = [await made('Short list'), await made('Long list')];
    const TableName = process.env.TABLE_NAME;
    const headers = { authorization: `Bearer ${secretKey}` };
    const agent = new Agent({ keepAlive: true });
    // Uses Node's plain HTTP client, as the compared table calls do.
    const ask = (path: string) =>
      new Promise<void>((resolve, reject) => {
        const outgoing = request(run.local.baseUrl + path, { agent, headers }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
          answer.on('end', resolve).on('error', reject).resume();
        });
        outgoing.on('error', reject).end();
      });
    const get = () => ask(getApp.path.replace('{id}', short));
    for (let count = 0; count < WARM_UP; count += 1) await Promise.all([get(), base.run()]);
    const single = await byTurns(TIMES, get, base.run);
    const spread: number[] = [];
    const together = await byTurns(
      TURNS,
      async () => spread.push(...(await atOnce(get))),
      () => atOnce(base.run),
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
    const list = (id: string) => () => ask(`/v1/apps/${id}/deployments?limit=50`);
    for (let count = 0; count < 50; count += 1) await Promise.all([list(short)(), list(long)()]);
    const page = await byTurns(TIMES, list(long), list(short));
    return [
      { what: 'GET /v1/apps/{id}, against a bare UpdateItem and GetItem', ...single, unit: 'ms', atMost: 1.3 },
      {
        what: `${TIMES} reads of GET /v1/apps/{id}, ${AT_ONCE} concurrently, against the bare calls`,
        ...together,
        unit: 'ms',
        atMost: 1.25,
      },
      {
        what: `p95 of these reads, ${AT_ONCE} concurrently, against their median`,
        ours: quantile(spread, 0.95),
        against: quantile(spread, 0.5),
        unit: 'ms',
        atMost: 3,
      },
      { what: `first page of ${LONG_LIST} deployments, against ${SHORT_LIST}`, ...page, unit: 'ms', atMost: 1.3 },
    ];
  } finally {
    await run.stop();
    await base.stop();
  }
}
