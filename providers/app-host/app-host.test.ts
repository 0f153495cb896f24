import {
  InvalidParameterValueException,
  LambdaClient,
  ResourceConflictException,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { createAppHost } from './app-host.ts';
import { HostThrottled, RuntimeRetired } from './resources.ts';

afterEach(() => vi.useRealTimers());

/** A client that knows no function and refuses to create one. */
const refusing = (message: string): LambdaClient =>
  ({
    middlewareStack: { add: () => undefined },
    send: async ({ constructor: { name } }: object) => {
      if (name === 'GetFunctionCommand') throw new ResourceNotFoundException({ message: '', $metadata: {} });
      throw new InvalidParameterValueException({ message, $metadata: {} });
    },
  }) as unknown as LambdaClient;
const release = (message: string) =>
  createAppHost(refusing(message), { prefix: 'app-', roleArn: '', adapterLayerArn: '' }).release(
    { applicationId: 'app_1', nodeVersion: '20', concurrency: 20 },
    { bucket: 'b', key: 'k' },
  );

test('distinguishes a retired version of Node from other refusals', async () => {
  const retired =
    'The runtime parameter of nodejs20.x is no longer supported for creating or updating AWS Lambda functions.';
  await expect(release(retired)).rejects.toThrow(new RuntimeRetired('20'));
  await expect(release('Unzipped size must be smaller than 262144000 bytes')).rejects.toThrow(/^Unzipped size/);
});

/** A Lambda that refuses so many changes because there are too many, and accepts the others. */
function throttling(refusals: number, maxAttempts: number) {
  let refused = 0;
  const ready = { State: 'Active', LastUpdateStatus: 'Successful' };
  const configuration = { ...ready, Version: '7', Runtime: 'nodejs20.x' };
  const respond = ({ method }: { method: string }) => {
    const isRefused = method !== 'GET' && refused < refusals;
    if (isRefused) refused += 1;
    return {
      statusCode: isRefused ? 429 : 200,
      headers: {
        'content-type': 'application/json',
        ...(isRefused ? { 'x-amzn-errortype': 'TooManyRequestsException' } : {}),
      },
      body: Buffer.from(JSON.stringify(isRefused ? {} : { Configuration: configuration, ...configuration })),
    };
  };
  const client = new LambdaClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts,
    requestHandler: { handle: async (request: { method: string }) => ({ response: respond(request) }) } as never,
  });
  const host = createAppHost(client, { prefix: 'app-', roleArn: '', adapterLayerArn: '' });
  let seen = 0;
  const app = { applicationId: 'app_1', nodeVersion: '20', concurrency: 20 };
  const release = () =>
    host.release(app, { bucket: 'b', key: 'k' }, () => {
      seen += 1;
    });
  return { release, seen: () => seen };
}

test('reports each throttled request, even if a retry succeeds', async () => {
  const { release, seen } = throttling(2, 4);
  expect(await release()).toBe('7');
  expect(seen()).toBe(2);
});

test('throws HostThrottled if Lambda throttles all retries', async () => {
  const { release, seen } = throttling(1000, 2);
  await expect(release()).rejects.toThrow(HostThrottled);
  expect(seen()).toBe(2);
});

/** A Lambda with one function: a version is a copy of its code, which is refused where it is not the one that was asked for. */
function createLambda(onUpload: (key: string) => Promise<void>) {
  let code = '';
  const versions: string[] = [];
  const ready = { State: 'Active', LastUpdateStatus: 'Successful' };
  const send = async ({ constructor: { name }, input }: { constructor: { name: string }; input: Input }) => {
    if (name === 'GetFunctionCommand') return { Configuration: ready };
    if (name === 'UpdateFunctionCodeCommand') {
      code = input.S3Key;
      await onUpload(code);
      return { CodeSha256: `hash of ${input.S3Key}` };
    }
    if (name !== 'PublishVersionCommand') return {};
    if (input.CodeSha256 !== undefined && input.CodeSha256 !== `hash of ${code}`) {
      const message = `CodeSHA256 (${input.CodeSha256}) is different from current CodeSHA256 in $LATEST (hash of ${code}).`;
      throw new InvalidParameterValueException({ message, $metadata: {} });
    }
    return { Version: String(versions.push(code)) };
  };
  type Input = { S3Key: string; CodeSha256?: string };
  const client = { middlewareStack: { add: () => undefined }, config: {}, send } as unknown as LambdaClient;
  const host = createAppHost(client, { prefix: 'app-', roleArn: '', adapterLayerArn: '' });
  const app = { applicationId: 'app_1', nodeVersion: '22', concurrency: 20 };
  return { release: (key: string) => host.release(app, { bucket: 'b', key }), versions };
}

test.each([
  { late: 1, made: ['late', 'current'] },
  { late: 5, made: ['late', 'late'] },
])('a release has its own code, even if another deployment uploads at the same time: %j', async ({ late, made }) => {
  let uploads = 0;
  const { release, versions } = createLambda(async (key) => {
    if (key === 'current' && uploads++ < late) await release('late');
  });
  const number = await release('current').catch(String);
  expect(number).toMatch(made.includes('current') ? '2' : /CodeSHA256/);
  expect(versions).toEqual(made);
});

/** A Lambda on whose function another caller makes a change while this operation is asked for the first time. */
function busyAt(operation: string, replacedAt?: string, meanwhile = () => {}, copying = () => {}) {
  const asked: string[] = [];
  const send = async ({ constructor: { name } }: { constructor: { name: string } }) => {
    asked.push(name);
    if (name === operation && asked.filter((each) => each === operation).length === 1) {
      meanwhile();
      const message = 'The operation cannot be performed at this time. An update is in progress for resource: arn';
      throw new ResourceConflictException({ message, $metadata: {} });
    }
    if (name === replacedAt && asked.filter((each) => each === replacedAt).length === 1) {
      const message = 'CodeSHA256 (mine) is different from current CodeSHA256 in $LATEST (yours).';
      throw new InvalidParameterValueException({ message, $metadata: {} });
    }
    if (/^Get(Alias|FunctionUrlConfig)/.test(name)) throw new ResourceNotFoundException({ message: '', $metadata: {} });
    const ready = { State: 'Active', LastUpdateStatus: 'Successful' };
    return { Configuration: ready, CodeSha256: 'hash', Version: '3', FunctionUrl: 'https://one.on.aws/' };
  };
  const client = { middlewareStack: { add: () => undefined }, config: {}, send } as unknown as LambdaClient;
  const copy = async (artifact: { bucket: string; key: string }) => {
    copying();
    return artifact;
  };
  return { asked, host: createAppHost(client, { prefix: 'app-', roleArn: '', adapterLayerArn: '', copy }) };
}
const APP = { applicationId: 'app_1', nodeVersion: '22', concurrency: 20 };

test.each([
  'UpdateFunctionConfigurationCommand',
  'UpdateFunctionCodeCommand',
  'PutFunctionConcurrencyCommand',
  'PublishVersionCommand',
])('a release starts over if the function is changed concurrently: %s', async (operation) => {
  const { host, asked } = busyAt(operation);
  expect(await host.release(APP, { bucket: 'b', key: 'k' })).toBe('3');
  expect(asked.filter((each) => each === operation)).toHaveLength(2);
});

test('a release that met a busy function also starts over when its code was replaced', async () => {
  const { host, asked } = busyAt('UpdateFunctionCodeCommand', 'PublishVersionCommand');
  expect(await host.release(APP, { bucket: 'b', key: 'k' })).toBe('3');
  expect(asked.filter((each) => each === 'UpdateFunctionCodeCommand')).toHaveLength(3);
});

test('does not create a function URL without its permissions: a busy function is not an existing permission', async () => {
  const { host, asked } = busyAt('AddPermissionCommand');
  await expect(host.switchTo('app_1', '3')).rejects.toThrow(/update is in progress/);
  expect(asked).not.toContain('CreateFunctionUrlConfigCommand');
});

test.each([
  ['CreateAliasCommand', 'Alias already exists: arn'],
  ['CreateFunctionUrlConfigCommand', 'FunctionUrlConfig exists for this Lambda function'],
])('switches to a release although the response to %s is lost', async (operation, message) => {
  const made = new Set<string>();
  const send = async ({ constructor: { name } }: { constructor: { name: string } }) => {
    const isMade = made.has(name.replace(/^Get/, 'Create'));
    if (name.startsWith('Get') && !isMade) throw new ResourceNotFoundException({ message: '', $metadata: {} });
    if (name.startsWith('Create')) made.add(name);
    // The client has sent the request again.
    if (name === operation) throw new ResourceConflictException({ message, $metadata: {} });
    return { FunctionVersion: '3', FunctionUrl: 'https://one.on.aws/' };
  };
  const client = { middlewareStack: { add: () => undefined }, config: {}, send } as unknown as LambdaClient;
  const host = createAppHost(client, { prefix: 'app-', roleArn: '', adapterLayerArn: '' });
  expect(await host.switchTo('app_1', '3')).toBe('one.on.aws');
});

test.each(['copy of the artifact', 'publication'])(
  'a release that would exceed the time of its step does not start over: a long %s',
  async (part) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const pass = () => void vi.advanceTimersByTime(61_000);
    const [publishing, copying] = part === 'publication' ? [pass] : [undefined, pass];
    const { host, asked } = busyAt('PublishVersionCommand', undefined, publishing, copying);
    await expect(host.release(APP, { bucket: 'b', key: 'k' })).rejects.toThrow(/update is in progress/);
    expect(asked.filter((each) => each === 'PublishVersionCommand')).toHaveLength(1);
  },
);

test.each([
  ['Unable to delete version because the following aliases reference it: [live]', false],
  ['The operation cannot be performed at this time. An update is in progress for resource: arn', undefined],
])('a release is kept if an alias points to it, but not because its function is busy: %s', async (message, answer) => {
  const send = async () => {
    throw new ResourceConflictException({ message, $metadata: {} });
  };
  const client = { middlewareStack: { add: () => undefined }, config: {}, send } as unknown as LambdaClient;
  const host = createAppHost(client, { prefix: 'app-', roleArn: '', adapterLayerArn: '' });
  const removed = host.removeRelease('app_1', '3');
  await (answer === undefined ? expect(removed).rejects.toThrow(message) : expect(removed).resolves.toBe(answer));
});
