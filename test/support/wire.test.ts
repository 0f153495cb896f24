import dns from 'node:dns';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { startAcm } from '../../local/emulators/acm/acm.ts';
import { startCloudFront } from '../../local/emulators/cloudfront/cloudfront.ts';
import { startKeyValueStore } from '../../local/emulators/cloudfront/key-value-store.ts';
import { startCloudWatch } from '../../local/emulators/cloudwatch/cloudwatch.ts';
import { startCloudWatchLogs } from '../../local/emulators/cloudwatch-logs/cloudwatch-logs.ts';
import { startCodeBuild } from '../../local/emulators/codebuild/codebuild.ts';
import { startDsql } from '../../local/emulators/dsql/dsql.ts';
import { startKms } from '../../local/emulators/kms/kms.ts';
import { startAppHost } from '../../local/emulators/lambda/app-host.ts';
import { resolveLocalhostNames } from '../../local/emulators/localhost-names.ts';
import { startRoute53 } from '../../local/emulators/route53/route53.ts';
import { startRegistrar } from '../../local/emulators/route53-domains/registrar.ts';
import { startServiceQuotas } from '../../local/emulators/service-quotas/service-quotas.ts';
import { startSes } from '../../local/emulators/ses/ses.ts';
import { startSts } from '../../local/emulators/sts/sts.ts';
import { type Emulator, listen } from '../../local/emulators/wire.ts';
import { startChildren } from '../../local/processes/children.ts';
import { checkAnswer } from './wire-answers.ts';
import { callEverything, STORE_ARN } from './wire-calls.ts';
import { checkInput, checkRequest, MODELS, type ModeledService, operationNames } from './wire-model.ts';
import { startRecorder } from './wire-recorder.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'wire-'));
const systemLookup = dns.lookup;
const stops: (() => Promise<void>)[] = [];
let recorder: Awaited<ReturnType<typeof startRecorder>>;
/** Services of which no package in this project has the model. */
const UNMODELED = ['acm', 'logs', 'monitoring', 'secretsmanager', 'servicequotas', 'ses'];

const isModeled = (service: string): service is ModeledService => service in MODELS;
const verdicts = () =>
  recorder.requests.flatMap((request) => (isModeled(request.service) ? [checkRequest(request.service, request)] : []));

async function emptyArchive(): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(
    Buffer.from('exec node -e "require(\'http\').createServer((q, s) => s.end()).listen(process.env.PORT)"'),
    'run.sh',
  );
  zip.end();
  return await buffer(zip.outputStream);
}

/** A build project whose build ends at once. */
function project() {
  const buildspec = JSON.stringify({ version: 0.2, phases: { build: { commands: ['true'] } } });
  return { name: 'build', buildspec, environment: {}, sourceDir: mkdtempSync(join(dataDir, 'source-')), memoryMb: 100 };
}

beforeAll(async () => {
  resolveLocalhostNames();
  const children = startChildren(dataDir);
  stops.push(() => children.stop());
  const place = { dataDir, region: 'af-south-1', accountId: '000000000000' };
  const archive = await emptyArchive();
  const objects = await listen(async (_, response) => void response.end(archive));
  const started = async (starting: Promise<Emulator>): Promise<string> => {
    const { port, stop } = await starting;
    stops.unshift(stop);
    return `http://127.0.0.1:${port}`;
  };
  const cloudFront = startCloudFront({ dataDir, pointsHere: () => true, deployFor: 0, issueAfter: 0 });
  const emulators = {
    lambda: await started(startAppHost({ ...place, children, s3Url: objects.url, environment: {}, initMs: 200 })),
    route53: await started(startRoute53({ dataDir })),
    route53domains: await started(startRegistrar({ dataDir, registered: ['mine.com'] })),
    'cloudfront-keyvaluestore': await started(startKeyValueStore({ dataDir, stores: [STORE_ARN] })),
    cloudfront: await started(cloudFront),
    dsql: await started(startDsql({ ...place, createFor: 0 })),
    kms: await started(startKms({ dataDir })),
    servicequotas: await started(startServiceQuotas()),
    acm: await started(
      cloudFront.then(({ certificatesOf, deleteCertificate }) =>
        startAcm({ dataDir, certificatesOf, deleteCertificate }),
      ),
    ),
    sts: await started(startSts({ dataDir })),
    logs: await started(startCloudWatchLogs({ dataDir })),
    ses: await started(startSes({ dataDir, identity: 'example.com', onSent: () => undefined })),
    monitoring: await started(startCloudWatch({ dataDir })),
    codebuild: await started(
      startCodeBuild({ ...place, children, projects: [project()], environment: {}, gitRoot: dataDir }),
    ),
  };
  recorder = await startRecorder(emulators, {
    dynamodb: async () => ({ Items: [], Responses: {} }),
    s3: async () => Buffer.alloc(0),
    secretsmanager: async () => ({ SecretString: 'value' }),
  });
  stops.push(objects.stop, recorder.stop);
  vi.stubEnv('AWS_REGION', 'af-south-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL', recorder.url);
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE', recorder.url.replace('127.0.0.1', 'localhost'));
  await callEverything();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops) await stop();
  dns.lookup = systemLookup;
  rmSync(dataDir, { recursive: true, force: true });
});

test('every request matches the model that AWS publishes: operation, bindings, members, types', () => {
  expect(verdicts().filter(({ problems }) => problems.length > 0)).toEqual([]);
  const without = new Set(recorder.requests.map(({ service }) => service).filter((service) => !isModeled(service)));
  expect([...without].sort()).toEqual(UNMODELED);
});

test('every answer of an emulator matches the model: status, headers, members, types, errors', () => {
  const problems = recorder.requests.flatMap((request) => {
    const { service, answer } = request;
    if (!isModeled(service) || !answer) return [];
    return checkAnswer(service, checkRequest(service, request).operation, answer);
  });
  expect([...new Set(problems)]).toEqual([]);
});

test('every operation that the sources name was called', () => {
  const sources = ['providers', 'runtime', 'table', 'builder'].flatMap((folder) =>
    globSync(`${folder}/**/*.ts`).filter((file) => !file.endsWith('.test.ts')),
  );
  const text = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const known = new Set((Object.keys(MODELS) as ModeledService[]).flatMap(operationNames));
  const commands = [...text.matchAll(/new ([A-Z]\w+)Command\(/g)].map(([, name]) => String(name));
  const literals = [...text.matchAll(/'([A-Z]\w+)'/g)]
    .map(([, name]) => String(name))
    .filter((name) => known.has(name));
  const targets = recorder.requests.map(({ headers }) => headers['x-amz-target']?.split('.')[1]);
  const called = new Set([...verdicts().map(({ operation }) => operation), ...targets]);
  expect([...new Set([...commands, ...literals])].filter((name) => !called.has(name)).sort()).toEqual([]);
});

test('a wrong member, type, binding or operation is found', () => {
  const request = { method: 'POST', path: '/', query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) };
  expect(checkInput('kms', 'GenerateDataKey', { Key: 'a' }).problems).toEqual([
    'GenerateDataKey.KeyId is missing',
    'GenerateDataKey.Key is unknown',
  ]);
  expect(checkInput('dynamodb', 'GetItem', { TableName: 't', Key: { pk: { S: 1 } } }).problems).toEqual([
    'GetItem.Key.pk.S must be a string, not 1',
  ]);
  expect(checkInput('dynamodb', 'GetItem', { TableName: 't', Key: { pk: { S: 'a', N: '1' } } }).problems).toHaveLength(
    1,
  );
  expect(checkInput('sqs', 'SendMesage', {}).problems).toEqual(['sqs has no operation SendMesage']);
  const update = { ...request, service: 'cloudfront-keyvaluestore', path: '/key-value-stores/arn/keys' };
  const body = Buffer.from('{"Puts":[{"Key":"a"}]}');
  expect(checkRequest('cloudfront-keyvaluestore', { ...update, body }).problems).toEqual([
    'UpdateKeys.IfMatch is missing',
    'UpdateKeys.Puts[0].Value is missing',
  ]);
  const zone = { ...request, service: 'route53', path: '/2013-04-01/hostedzone' };
  expect(checkRequest('route53', { ...zone, body: Buffer.from('<R><Name>a</Name><Nme>b</Nme></R>') }).problems).toEqual(
    ['CreateHostedZone.CallerReference is missing', 'CreateHostedZone.Nme is unknown'],
  );
  const parameters = new URLSearchParams({ Qualifer: 'live' });
  const alias = {
    ...request,
    service: 'lambda',
    method: 'GET',
    path: '/2015-03-31/functions/a/url',
    query: parameters,
  };
  expect(checkRequest('lambda', alias).problems).toHaveLength(1);
});

test('an answer with a wrong status, header, member or type, or an unknown error, is found', () => {
  const answer = (status: number, body: object | string, headers = {}) => ({
    status,
    headers,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
  const url = { FunctionUrl: 'https://one', FunctionArn: 'arn', AuthType: 'NONE', CreationTime: '2026' };
  expect(checkAnswer('lambda', 'CreateFunctionUrlConfig', answer(201, url))).toEqual([]);
  expect(checkAnswer('lambda', 'CreateFunctionUrlConfig', answer(200, { ...url, AuthType: 1, Url: 'a' }))).toEqual([
    'CreateFunctionUrlConfig has the status 201, not 200',
    'CreateFunctionUrlConfig>.AuthType must be a string, not 1',
    'CreateFunctionUrlConfig>.Url is unknown',
  ]);
  expect(checkAnswer('lambda', 'DeleteAlias', answer(204, ''))).toEqual([]);
  expect(checkAnswer('lambda', 'DeleteAlias', answer(200, { Name: 'live' }))).toEqual([
    'DeleteAlias has the status 204, not 200',
    'DeleteAlias>.Name is unknown',
  ]);
  expect(checkAnswer('kms', 'Decrypt', answer(400, { __type: 'NoKey' }))).toEqual(['Decrypt: kms has no error NoKey']);
  expect(checkAnswer('lambda', 'GetAlias', answer(400, { __type: 'ResourceNotFoundException' }))).toEqual([
    'GetAlias: ResourceNotFoundException has the status 404, not 400',
  ]);
  const time = { identifier: 'a', arn: 'arn', status: 'ACTIVE', creationTime: '2026' };
  expect(checkAnswer('dsql', 'DeleteCluster', answer(200, time))).toEqual([
    'DeleteCluster>.creationTime must be a number, not "2026"',
  ]);
  const zone = '<R><HostedZone><Id>a</Id><Name>b</Name><CallerReference>c</CallerReference></HostedZone></R>';
  expect(checkAnswer('route53', 'CreateHostedZone', answer(201, zone))).toEqual([
    'CreateHostedZone> lacks the header of Location',
    'CreateHostedZone>.ChangeInfo is missing',
    'CreateHostedZone>.DelegationSet is missing',
  ]);
});
