import { expect, test } from 'vitest';
import { ServiceError } from '../wire.ts';
import { lambdaOperations } from './api.ts';
import type { LambdaFunction } from './functions.ts';

const BASE = '/2015-03-31/functions';
const ARN = 'arn:aws:lambda:af-south-1:000000000000:function:app_1';

/** Operations on no functions, whose code is empty; `invoked` and `saved` say what they did. */
function open() {
  const functions: Record<string, LambdaFunction> = {};
  const invoked: string[] = [];
  const saved: string[] = [];
  const answer = lambdaOperations({
    functions,
    region: 'af-south-1',
    accountId: '000000000000',
    strict: undefined,
    load: async () => ({ sha256: 'code', size: 1 }),
    async invoke({ FunctionName, Version }, payload, tail) {
      invoked.push(`${FunctionName}:${Version} ${payload}${tail ? ' with its log' : ''}`);
      return { body: 'answered' };
    },
    invokePlatformFunction(name, payload) {
      if (name !== 'own') return undefined;
      invoked.push(`own ${payload}`);
      return Promise.resolve({ body: 'done' });
    },
    save: (name) => void saved.push(name),
  });
  const send = async (method: string, address: string, input?: object, headers: Record<string, string> = {}) => {
    const { pathname, searchParams } = new URL(address, 'http://localhost');
    const body = Buffer.from(input ? JSON.stringify(input) : '');
    try {
      const { status = 200, body: shown } = await answer({
        method,
        path: pathname,
        query: searchParams,
        headers,
        body,
      });
      return [status, shown];
    } catch (error) {
      if (error instanceof ServiceError) return [error.status, error.name];
      throw error;
    }
  };
  return { send, invoked, saved };
}

async function withFunction() {
  const opened = open();
  const settings = { Runtime: 'nodejs24.x', Role: 'arn:aws:iam::000000000000:role/apps', Handler: 'run.sh' };
  await opened.send('POST', BASE, { FunctionName: 'app_1', Code: {}, Publish: true, ...settings });
  return opened;
}

test('reads and changes the parts of a function', async () => {
  const { send } = await withFunction();
  const at = `${BASE}/app_1`;
  expect(await send('GET', BASE)).toMatchObject([200, { Functions: [{ FunctionName: 'app_1' }] }]);
  expect(await send('GET', `${at}?Qualifier=1`)).toMatchObject([200, { Configuration: { Version: '1' } }]);
  expect(await send('GET', `${BASE}/${encodeURIComponent(`${ARN}:1`)}/configuration`)).toMatchObject([
    200,
    { Version: '1' },
  ]);
  expect(await send('PUT', `${at}/configuration`, { Timeout: 30 })).toMatchObject([200, { Timeout: 30 }]);
  expect(await send('PUT', `${at}/code`, {})).toMatchObject([200, { CodeSha256: 'code' }]);
  expect(await send('POST', `${at}/versions`, {})).toMatchObject([201, { Version: '2' }]);
  expect(await send('GET', `${at}/versions`)).toMatchObject([
    200,
    { Versions: [{ Version: '$LATEST' }, { Version: '1' }, { Version: '2' }] },
  ]);
  expect(await send('PUT', `${at}/concurrency`, { ReservedConcurrentExecutions: 3 })).toEqual([
    200,
    { ReservedConcurrentExecutions: 3 },
  ]);
  expect(await send('GET', at)).toMatchObject([200, { Concurrency: { ReservedConcurrentExecutions: 3 } }]);
  expect(await send('GET', '/2016-08-19/account-settings')).toMatchObject([
    200,
    { AccountUsage: { FunctionCount: 1 } },
  ]);
});

test('reads and changes aliases, function URLs, permissions and tags', async () => {
  const { send } = await withFunction();
  const at = `${BASE}/app_1`;
  expect(await send('POST', `${at}/aliases`, { Name: 'live', FunctionVersion: '1' })).toMatchObject([
    201,
    { Name: 'live' },
  ]);
  expect(await send('PUT', `${at}/aliases/live`, { Description: 'new' })).toMatchObject([200, { Description: 'new' }]);
  expect(await send('GET', `${at}/aliases/live`)).toMatchObject([200, { FunctionVersion: '1' }]);
  expect(await send('GET', `${at}/aliases`)).toMatchObject([200, { Aliases: [{ Name: 'live' }] }]);
  expect(await send('DELETE', `${at}?Qualifier=1`)).toEqual([409, 'ResourceConflictException']);

  const url = `${at}/url?Qualifier=live`;
  expect(await send('POST', url, { AuthType: 'AWS_IAM' })).toMatchObject([201, { FunctionArn: `${ARN}:live` }]);
  expect(await send('PUT', url, { InvokeMode: 'RESPONSE_STREAM' })).toMatchObject([
    200,
    { InvokeMode: 'RESPONSE_STREAM' },
  ]);
  expect(await send('GET', url)).toMatchObject([200, { AuthType: 'AWS_IAM' }]);
  expect(await send('DELETE', url)).toEqual([204, undefined]);
  expect(await send('DELETE', url)).toEqual([404, 'ResourceNotFoundException']);
  await send('POST', url, { AuthType: 'AWS_IAM' });
  expect(await send('DELETE', `${at}/aliases/live`)).toEqual([204, undefined]);
  expect(await send('GET', url)).toEqual([404, 'ResourceNotFoundException']);

  const statement = { StatementId: 'edge', Action: 'lambda:InvokeFunctionUrl', Principal: '*' };
  expect(await send('POST', `${at}/policy`, statement)).toMatchObject([201, {}]);
  expect(await send('GET', `${at}/policy`)).toMatchObject([200, { Policy: expect.stringContaining('"edge"') }]);
  expect(await send('DELETE', `${at}/policy/edge`)).toEqual([204, undefined]);
  expect(await send('GET', `${at}/policy`)).toMatchObject([200, { Policy: expect.stringContaining('"Statement":[]') }]);

  const tags = `/2017-03-31/tags/${encodeURIComponent(ARN)}`;
  expect(await send('POST', tags, { Tags: { a: '1', b: '2' } })).toEqual([204, undefined]);
  expect(await send('DELETE', `${tags}?tagKeys=a`)).toEqual([204, undefined]);
  expect(await send('GET', tags)).toEqual([200, { Tags: { b: '2' } }]);
});

test('invokes a version, and the platform’s own functions without a wait too', async () => {
  const { send, invoked } = await withFunction();
  const at = `${BASE}/app_1/invocations?Qualifier=1`;
  expect(await send('POST', at, { a: 1 }, { 'x-amz-log-type': 'Tail' })).toEqual([200, 'answered']);
  expect(await send('POST', `${BASE}/own/invocations`)).toEqual([200, 'done']);
  expect(await send('POST', `${BASE}/own/invocations`, { a: 1 }, { 'x-amz-invocation-type': 'Event' })).toEqual([
    202,
    Buffer.alloc(0),
  ]);
  expect(invoked).toEqual(['app_1:1 {"a":1} with its log', 'own {}', 'own {"a":1}']);
});

test('refuses what it does not know, and saves a function after each change only', async () => {
  const { send, saved } = await withFunction();
  expect(saved.splice(0)).toEqual(['app_1']);
  expect(await send('GET', `${BASE}/none`)).toEqual([404, 'ResourceNotFoundException']);
  expect(await send('GET', `${BASE}/app_1/toString`)).toEqual([404, 'UnknownOperationException']);
  expect(await send('PATCH', `${BASE}/none`)).toEqual([404, 'UnknownOperationException']);
  await send('GET', `${BASE}/app_1`);
  await send('POST', `${BASE}/app_1/invocations`);
  expect(saved).toEqual([]);
  expect(await send('DELETE', `${BASE}/app_1`)).toEqual([204, undefined]);
  expect(saved).toEqual(['app_1']);
});
