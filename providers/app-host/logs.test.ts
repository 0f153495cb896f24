import { expect, test } from 'vitest';
import { createAppLogs, LogsThrottled } from './logs.ts';
import { isPlatformLine } from './platform-lines.ts';

/** Creates a CloudWatch Logs client that returns these pages in turn and records its requests. */
function over(pages: { events: object[]; nextToken?: string }[]) {
  const asked: object[] = [];
  const logs = createAppLogs(
    async <Output>(_operation: string, input: object): Promise<Output> => {
      asked.push(input);
      return pages[asked.length - 1] as Output;
    },
    'prefix-',
    'arn:aws:lambda:af-south-1:000000000000:function:prefix-',
  );
  return { logs, asked };
}
const event = (timestamp: number, eventId: string, message: string) => ({ timestamp, eventId, message });
const since = new Date(1_000_000_000_000);

test('returns lines in the order of their time, without those of Lambda', async () => {
  const { logs, asked } = over([
    {
      events: [
        event(1_000_000_000_002, '02', 'second\n'),
        event(1_000_000_000_001, '01', 'START RequestId: 1-2 Version: 3\n'),
        event(1_000_000_000_001, '03', 'first\n'),
        event(1_000_000_000_003, '04', 'START is a word of ours\n'),
      ],
    },
  ]);
  const { lines, more } = await logs.read('app_1', { after: undefined, since, limit: 10 });
  expect(lines.map(({ text }) => text)).toEqual(['first', 'second', 'START is a word of ours']);
  expect(more).toBe(false);
  expect(asked).toEqual([{ logGroupName: '/aws/lambda/prefix-app_1', startTime: since.getTime(), limit: 110 }]);
});

test.each([
  ['START RequestId: 1-2 Version: 3', true],
  ['END RequestId: 1-2', true],
  ['REPORT RequestId: 1-2\tDuration: 1.00 ms\tBilled Duration: 1 ms', true],
  ['INIT_START Runtime Version: nodejs:24.v1\tRuntime Version ARN: arn:aws:lambda:r::runtime:1', true],
  ['INIT_REPORT Init Duration: 8.78 ms\tPhase: init\tStatus: error\tError Type: Runtime.ExitError', true],
  ['EXTENSION\tName: lambda-adapter\tState: Ready\tEvents: []', true],
  ['LOGS\tName: telemetry\tState: Subscribed\tTypes: [Platform]', true],
  ['REQUEST {"method":"GET","path":"/","status":200,"ms":1,"bytes":2}', true],
  ['START the worker, Version 2', false],
  ['END of checkout, State: paid', false],
  ['REPORT Name: monthly', false],
  ['REQUEST for a quote', false],
])('a line is one of the platform only if it is Lambda’s or of a request: %s', (line, expected) => {
  expect(isPlatformLine(line)).toBe(expected);
});

test('skips empty pages, and does not return known lines again', async () => {
  const at = 1_000_000_000_005;
  const { logs, asked } = over([
    { events: [], nextToken: 'more' },
    {
      events: [
        event(at, '01', 'known before'),
        event(at, '02', 'known'),
        event(at, '03', '#req=Ab3-_x9Z {"level":"info"}\n'),
      ],
    },
  ]);
  const { lines } = await logs.read('app_1', { after: `${at}-02`, since, limit: 10 });
  const text = '{"level":"info"}';
  expect(lines).toEqual([{ id: `${at}-03`, at: new Date(at), text, requestId: 'Ab3-_x9Z' }]);
  expect(asked).toHaveLength(2);
  expect(asked[0]).toMatchObject({ startTime: at });
});

test('an application that never ran has no lines; other failures are thrown', async () => {
  const failing = (name: string) =>
    createAppLogs(() => Promise.reject(Object.assign(new Error(name), { name })), 'prefix-', 'arn:');
  const from = { after: undefined, since, limit: 10 };
  expect(await failing('ResourceNotFoundException').read('app_1', from)).toEqual({ lines: [], more: false });
  await expect(failing('AccessDeniedException').read('app_1', from)).rejects.toThrow('AccessDenied');
  await expect(failing('ThrottlingException').read('app_1', from)).rejects.toThrow(LogsThrottled);
});

test('returns the last lines of one release, by the streams of its version and day', async () => {
  const { logs, asked } = over([
    { events: [event(1, '01', 'one\n'), event(1, '02', 'START RequestId: 1 Version: 7\n')], nextToken: 'more' },
    { events: [event(2, '03', 'two\nthree\n')] },
  ]);
  expect(await logs.tail('app_1', '7', new Date('2026-01-31T23:00:00Z'), 2)).toEqual(['two', 'three']);
  expect(asked).toEqual([
    { logGroupName: '/aws/lambda/prefix-app_1', logStreamNamePrefix: '2026/01/31/[7]' },
    { logGroupName: '/aws/lambda/prefix-app_1', logStreamNamePrefix: '2026/01/31/[7]', nextToken: 'more' },
  ]);
});

test('the log group of an application is created once, with the ARN of its function, which alone may write to it', async () => {
  const calls: [string, object][] = [];
  let exists = false;
  const logs = createAppLogs(
    async <Output>(operation: string, input: object): Promise<Output> => {
      calls.push([operation, input]);
      if (operation !== 'CreateLogGroup' && !exists)
        throw Object.assign(new Error(), { name: 'ResourceNotFoundException' });
      exists = true;
      return {} as Output;
    },
    'prefix-',
    'arn:aws:lambda:af-south-1:000000000000:function:prefix-',
  );
  const group = { logGroupName: '/aws/lambda/prefix-app_1' };
  const tags = { application: 'arn:aws:lambda:af-south-1:000000000000:function:prefix-app_1' };
  const resourceArn = 'arn:aws:logs:af-south-1:000000000000:log-group:/aws/lambda/prefix-app_1';
  const retention: [string, object] = ['PutRetentionPolicy', { ...group, retentionInDays: 30 }];
  const asked = [retention, ['TagResource', { resourceArn, tags }]];
  await logs.prepare('app_1');
  expect(calls).toEqual([...asked, ['CreateLogGroup', { ...group, tags }], retention]);
  // A group from before has its tag and its retention with the next release.
  await logs.prepare('app_1');
  expect(calls.slice(4)).toEqual(asked);
});

test('finds the end of a log after any number of lines', async () => {
  const events = Array.from({ length: 20 }, (_, at) => event(at, `${at}`, `${'\n'.repeat(20_000)}line ${at}`));
  const { logs } = over([{ events, nextToken: 'more' }, { events: [event(20, '20', 'last\n\n')] }]);
  expect(await logs.tail('app_1', '3', since, 3)).toEqual(['line 18', 'line 19', 'last']);
});
