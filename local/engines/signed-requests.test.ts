import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBuildAccess, type SignedRequest } from '../../providers/builds/access.ts';
import { openSessions } from '../emulators/sts/sessions.ts';
import { startSts } from '../emulators/sts/sts.ts';
import type { Emulator } from '../emulators/wire.ts';
import { refusePresigned } from './signed-requests.ts';

/** The requests of a build as the platform's own code signs them, checked as S3 checks them. */
const dataDir = mkdtempSync(join(tmpdir(), 'signed-'));
const sessions = openSessions(dataDir);
const S3 = 'http://127.0.0.1:1';
let sts: Emulator;
let access: Awaited<ReturnType<ReturnType<typeof createBuildAccess>['grant']>>;
beforeAll(async () => {
  sts = await startSts({ dataDir });
  const environment = { AWS_ENDPOINT_URL_STS: sts.url, AWS_ENDPOINT_URL_S3: S3, AWS_REGION: 'af-south-1' };
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries({ ...environment, ...credentials })) vi.stubEnv(name, value);
  const { presign } = await import('../../runtime/aws/presign.ts');
  const roleArn = 'arn:aws:iam::000000000000:role/build-access';
  access = await createBuildAccess((grants, session) => presign('builds', grants, { roleArn, ...session })).grant(
    'app_1',
    'dep_1',
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await sts.stop();
  rmSync(dataDir, { recursive: true });
});

/** Returns S3's answer to a request, after a change of it. */
function answer(request: SignedRequest, change: Partial<SignedRequest> = {}, now?: number): string {
  const { method, url, headers } = { ...request, ...change };
  const { pathname, search, host } = new URL(url);
  const message = { method, url: pathname + search, headers: { host, ...headers } };
  return refusePresigned(message, sessions, now)?.code ?? 'accepted';
}
const allRequests = () => {
  const { removeJob, storeLog, storeResult, storeArtifact, caches } = access.access;
  const ofCaches = Object.values(caches).flatMap(({ read, store }) => [read, store]);
  return [access.readJob, removeJob, storeLog, storeResult, storeArtifact, ...ofCaches];
};

test('each request of a build is accepted as it was signed', () => {
  expect(allRequests().map((request) => answer(request))).toEqual(Array(9).fill('accepted'));
  const places = allRequests().map(({ method, url }) => `${method} ${new URL(url).pathname}`);
  expect(places).toEqual([
    'GET /builds/jobs/dep_1.json',
    'DELETE /builds/jobs/dep_1.json',
    'PUT /builds/logs/dep_1.txt',
    'PUT /builds/results/dep_1.json',
    'PUT /builds/artifacts/app_1/dep_1.zip',
    'GET /builds/caches/app_1/dependencies',
    'PUT /builds/caches/app_1/dependencies',
    'GET /builds/caches/app_1/build',
    'PUT /builds/caches/app_1/build',
  ]);
});

test('no request of a build reaches another object, or the same object with another method', () => {
  for (const request of allRequests()) {
    for (const key of [
      'jobs/dep_2.json',
      'artifacts/app_2/dep_9.zip',
      'artifacts/app_1/dep_0.zip',
      'caches/app_2/build',
    ]) {
      const url = request.url.replace(new URL(request.url).pathname, `/builds/${key}`);
      expect(answer(request, { url })).toBe('SignatureDoesNotMatch');
    }
    for (const method of (['GET', 'PUT', 'DELETE'] as const).filter((each) => each !== request.method)) {
      expect(answer(request, { method })).toBe('SignatureDoesNotMatch');
    }
  }
});

test('an artifact is stored only if none exists', () => {
  const { storeArtifact } = access.access;
  expect(storeArtifact.headers).toEqual({ 'if-none-match': '*' });
  expect(answer(storeArtifact, { headers: {} })).toBe('AccessDenied');
  expect(answer(storeArtifact, { headers: { 'if-none-match': '"other"' } })).toBe('SignatureDoesNotMatch');
});

test('requests are valid for exactly an hour, which is longer than a build waits and runs', () => {
  const minutes = (count: number) => Date.now() + count * 60_000;
  for (const request of allRequests()) {
    expect(answer(request, {}, minutes(55))).toBe('accepted');
    expect(answer(request, {}, minutes(61))).toBe('AccessDenied');
    expect(answer(request, { url: request.url.replace('X-Amz-Expires=3600', 'X-Amz-Expires=360000') })).toBe(
      'SignatureDoesNotMatch',
    );
  }
});

test('the session that signed can do nothing but a build’s requests, even with its own credentials', async () => {
  const token = new URL(access.readJob.url).searchParams.get('X-Amz-Security-Token') ?? '';
  const { session } = sessions.read(token) ?? {};
  expect(session?.policy?.Statement).toEqual([
    {
      Effect: 'Allow',
      Action: ['s3:GetObject'],
      Resource: ['jobs/dep_1.json', 'caches/app_1/dependencies', 'caches/app_1/build'].map(
        (key) => `arn:aws:s3:::builds/${key}`,
      ),
    },
    {
      Effect: 'Allow',
      Action: ['s3:PutObject'],
      Resource: [
        'logs/dep_1.txt',
        'results/dep_1.json',
        'artifacts/app_1/dep_1.zip',
        'caches/app_1/dependencies',
        'caches/app_1/build',
      ].map((key) => `arn:aws:s3:::builds/${key}`),
    },
    { Effect: 'Allow', Action: ['s3:DeleteObject'], Resource: ['arn:aws:s3:::builds/jobs/dep_1.json'] },
  ]);
});

test('a token that was changed, or issued elsewhere, is refused', () => {
  const foreign = openSessions(mkdtempSync(join(dataDir, 'other-')));
  const { sessionToken } = foreign.issue({ role: 'r', name: 'n', expiresAt: Date.now() + 1000 });
  const { url } = access.readJob;
  const token = new URL(url).searchParams.get('X-Amz-Security-Token') ?? '';
  for (const other of [sessionToken, `x${token}`, '']) {
    expect(answer(access.readJob, { url: url.replace(encodeURIComponent(token), encodeURIComponent(other)) })).toBe(
      'InvalidToken',
    );
  }
});
