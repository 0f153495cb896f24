import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  AddPermissionCommand,
  CreateAliasCommand,
  CreateFunctionCommand,
  InvokeCommand,
  LambdaClient,
  PublishVersionCommand,
  UpdateFunctionCodeCommand,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { MAX_ARTIFACT_BYTES } from '../../../contract/deployments/artifact-size.ts';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { APP_HOST_ATTEMPTS, createAppHost } from '../../../providers/app-host/app-host.ts';
import { type Children, startChildren } from '../../processes/children.ts';
import { listen } from '../wire.ts';
import { type AppHost, startAppHost } from './app-host.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'strict-lambda-'));
const LAYER = 'arn:aws:lambda:af-south-1:000000000000:layer:adapter:1';
let children: Children;
let host: AppHost;
let stopStore: () => Promise<void>;
const archives = new Map<string, Buffer>();

const clientWith = (maxAttempts: number) => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new LambdaClient({ region: 'af-south-1', endpoint: host.url, credentials, maxAttempts });
};

beforeAll(async () => {
  children = startChildren(dataDir);
  const store = await listen(async (request, response) => {
    const found = archives.get(request.url ?? '');
    response.writeHead(found ? 200 : 404).end(found);
  });
  stopStore = store.stop;
  const place = { region: 'af-south-1', s3Url: store.url, environment: {} };
  host = await startAppHost({ dataDir, children, strict: true, ...place });
});
afterAll(async () => {
  await host.stop();
  await stopStore();
  await children.stop();
  rmSync(dataDir, { recursive: true });
});

async function archive(name: string, files: Record<string, Buffer>): Promise<void> {
  const zip = new ZipFile();
  for (const [file, content] of Object.entries(files)) zip.addBuffer(content, file);
  zip.end();
  archives.set(`/bucket/${name}`, await buffer(zip.outputStream));
}
const functionNamed = (FunctionName: string, key: string) => ({
  FunctionName,
  Runtime: 'nodejs24.x' as const,
  Role: 'arn:aws:iam::000000000000:role/apps',
  Handler: 'run.sh',
  Layers: [LAYER],
  Code: { S3Bucket: 'bucket', S3Key: key },
});
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: Error) => `${error.name}: ${error.message}`,
  );

/** At once, which is more than 20 a second; each makes about ten changes, of which Lambda takes 15 a second. */
const RELEASES = 16;

test('releases at 20 a second wait for Lambda’s rate, and all succeed', { timeout: 180_000 }, async () => {
  await archive('app.zip', { 'run.sh': Buffer.from('exec sleep 1') });
  const client = clientWith(APP_HOST_ATTEMPTS);
  const apps = createAppHost(client, {
    prefix: 'many-',
    roleArn: 'arn:aws:iam::000000000000:role/apps',
    adapterLayerArn: LAYER,
  });
  const releaseOne = async (index: number): Promise<string> => {
    const app = { applicationId: `app_${index}`, nodeVersion: '24', concurrency: 20 };
    const release = await apps.release(app, { bucket: 'bucket', key: 'app.zip' });
    await apps.switchTo(app.applicationId, release);
    return release;
  };
  const releases = await Promise.all(Array.from({ length: RELEASES }, (_, index) => releaseOne(index)));
  expect(releases).toEqual(Array.from({ length: RELEASES }, () => '1'));
});

test('a function takes nothing before it is active, and its alias is known a moment later', {
  timeout: 60_000,
}, async () => {
  await archive('one.zip', { 'run.sh': Buffer.from('exec sleep 1') });
  // More attempts: only the states are of interest here, and the rate may be used up.
  const client = clientWith(8);
  const FunctionName = 'states';
  expect(await client.send(new CreateFunctionCommand(functionNamed(FunctionName, 'one.zip')))).toMatchObject({
    State: 'Pending',
    LastUpdateStatus: 'Successful',
  });
  const pending =
    'ResourceConflictException: The operation cannot be performed at this time. The function is currently in the following state: Pending';
  expect(await failure(client.send(new PublishVersionCommand({ FunctionName })))).toContain(pending);
  expect(await failure(client.send(new InvokeCommand({ FunctionName })))).toContain(pending);
  await waitUntilFunctionActiveV2({ client, maxWaitTime: 30, minDelay: 1 }, { FunctionName });

  // Another caller may have uploaded its own code since.
  expect(await failure(client.send(new PublishVersionCommand({ FunctionName, CodeSha256: 'mine' })))).toMatch(
    /InvalidParameterValueException: CodeSHA256 \(mine\) is different from current CodeSHA256 in \$LATEST/,
  );
  const { Version } = await client.send(new PublishVersionCommand({ FunctionName }));
  expect(await failure(client.send(new InvokeCommand({ FunctionName, Qualifier: Version })))).toContain(pending);
  const updated = await client.send(
    new UpdateFunctionCodeCommand({ FunctionName, S3Bucket: 'bucket', S3Key: 'one.zip' }),
  );
  expect(updated.LastUpdateStatus).toBe('InProgress');
  expect(await failure(client.send(new PublishVersionCommand({ FunctionName })))).toContain('An update is in progress');

  await client.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: Version }));
  const permission = { StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', Principal: '*' };
  expect(
    await failure(client.send(new AddPermissionCommand({ FunctionName, Qualifier: 'live', ...permission }))),
  ).toMatch(/^ResourceNotFoundException/);
});

test('sizes are Lambda’s: code together with its layers, variables, events', { timeout: 120_000 }, async () => {
  const client = clientWith(8);
  // Above what is left beside the layer, and below what the code alone may have.
  await archive('large.zip', { large: Buffer.alloc(MAX_ARTIFACT_BYTES + 1) });
  expect(await failure(client.send(new CreateFunctionCommand(functionNamed('large', 'large.zip'))))).toMatch(
    /^InvalidParameterValueException: Function code combined with layers exceeds the maximum allowed size of 262144000/,
  );
  const Variables = { A: 'x'.repeat(AWS_LIMITS.lambdaEnvironmentBytes.value) };
  const wordy = { ...functionNamed('wordy', 'one.zip'), Environment: { Variables } };
  expect(await failure(client.send(new CreateFunctionCommand(wordy)))).toMatch(/exceeded the 4KB limit/);
  const Payload = Buffer.alloc(AWS_LIMITS.lambdaPayloadBytes.value + 1, ' ');
  expect(await failure(client.send(new InvokeCommand({ FunctionName: 'many-app_0', Payload })))).toMatch(
    /^RequestTooLargeException/,
  );
});
