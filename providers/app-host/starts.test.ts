import { expect, test } from 'vitest';
import { createAppMetrics, MetricsThrottled } from './metrics.ts';
import { createAppStarts } from './starts.ts';

const span = { from: new Date(0), periodS: 7200, periods: 2 };
const named = (name: string) => Object.assign(new Error(name), { name });

/** Answers the looks at a query with these states in turn. */
function over(states: string[], stop: () => void = () => undefined) {
  const pauses: number[] = [];
  const starts = createAppStarts(
    async <Output>(operation: string): Promise<Output> => {
      const row = [
        { field: 'bin(2h)', value: '1970-01-01 02:00:00.000' },
        { field: 'starts', value: '2' },
        { field: 'memory', value: '61000000' },
      ];
      if (operation === 'StartQuery') return { queryId: 'q' } as Output;
      if (operation === 'StopQuery') stop();
      return { status: states.shift() ?? 'Running', results: [row] } as Output;
    },
    'app-',
    async (ms) => void pauses.push(ms),
  );
  return { starts, pauses };
}

test('waits until the query is complete', async () => {
  const { starts, pauses } = over(['Scheduled', 'Running', 'Complete']);
  expect(await starts.read('1', span)).toEqual([
    { at: new Date(7_200_000), starts: 2, slowestMs: undefined, memoryMb: 61 },
  ]);
  expect(pauses).toHaveLength(2);
});

test('a query that fails or takes too long is an error', async () => {
  await expect(over(['Failed']).starts.read('1', span)).rejects.toThrow('The query ended as Failed');
  await expect(over([]).starts.read('1', span)).rejects.toThrow(MetricsThrottled);
});

test('a query that takes too long is stopped, and no other is', async () => {
  const stopped: string[] = [];
  const stop = () => void stopped.push('q');
  await expect(over([], stop).starts.read('1', span)).rejects.toThrow('took too long');
  expect(stopped).toEqual(['q']);
  await over(['Running', 'Complete'], stop).starts.read('1', span);
  await expect(over(['Failed'], stop).starts.read('1', span)).rejects.toThrow();
  expect(stopped).toEqual(['q']);
});

test('a query whose state cannot be read is stopped, and the first error is the one that is thrown', async () => {
  const operations: string[] = [];
  const failing = (error: Error) =>
    createAppStarts(async <Output>(operation: string): Promise<Output> => {
      operations.push(operation);
      if (operation === 'StartQuery') return { queryId: 'q' } as Output;
      throw operation === 'StopQuery' ? named('AccessDenied') : error;
    }, '').read('1', span);
  await expect(failing(named('ThrottlingException'))).rejects.toThrow(MetricsThrottled);
  await expect(failing(new Error('reset'))).rejects.toThrow('reset');
  expect(operations).toEqual([
    'StartQuery',
    'GetQueryResults',
    'StopQuery',
    'StartQuery',
    'GetQueryResults',
    'StopQuery',
  ]);
});

test('a query that ends while it is being stopped took too long, and one that cannot be stopped is an error', async () => {
  const failing = (name: string) => () => {
    throw named(name);
  };
  await expect(over([], failing('InvalidParameterException')).starts.read('1', span)).rejects.toThrow(MetricsThrottled);
  await expect(over([], failing('AccessDenied')).starts.read('1', span)).rejects.toThrow('AccessDenied');
});

test('distinguishes throttling from other failures', async () => {
  const failing = (name: string) => () => Promise.reject(named(name));
  await expect(createAppStarts(failing('LimitExceededException'), '').read('1', span)).rejects.toThrow(
    MetricsThrottled,
  );
  await expect(createAppMetrics(failing('ThrottlingException'), '').read('1', span)).rejects.toThrow(MetricsThrottled);
  await expect(createAppMetrics(failing('AccessDenied'), '').read('1', span)).rejects.toThrow('AccessDenied');
});

test('reads a result of several pages to its end', async () => {
  const tokens: unknown[] = [];
  const metrics = createAppMetrics(async <Output>(_: string, input: object): Promise<Output> => {
    const { NextToken } = input as { NextToken?: string };
    tokens.push(NextToken);
    const at = NextToken ? 7200 : 0;
    const MetricDataResults = [{ Id: 'requests', Timestamps: [at], Values: [at + 1] }];
    return (NextToken ? { MetricDataResults } : { MetricDataResults, NextToken: 'more' }) as Output;
  }, '');
  expect((await metrics.read('1', span)).map(({ requests }) => requests)).toEqual([1, 7201]);
  expect(tokens).toEqual([undefined, 'more']);
});

test.each(['InternalError', 'Forbidden'])(
  'does not take a metric that cannot be read for no traffic: %s',
  async (StatusCode) => {
    const MetricDataResults = [{ Id: 'requests', StatusCode, Timestamps: [], Values: [] }];
    const metrics = createAppMetrics(async <Output>() => ({ MetricDataResults }) as Output, '');
    await expect(metrics.read('1', span)).rejects.toThrow(`CloudWatch could not read requests: ${StatusCode}`);
  },
);
