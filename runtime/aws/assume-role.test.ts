import { beforeEach, expect, test } from 'vitest';
import { standInFor } from '../../test/support/aws-service.ts';
import { assumeRole } from './assume-role.ts';

/** STS, which gives the answers in their order: a status, and the code of an error. */
let answers: [status: number, code?: string][] = [];
let requests: Record<string, string>[] = [];
beforeEach(() => {
  requests = [];
});
standInFor('STS', (_method, response, request) => {
  requests.push(Object.fromEntries(new URLSearchParams(request)));
  const [status, code] = answers.shift() ?? [200];
  const body = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((each) => `<${each}>its-${each}</${each}>`);
  response.writeHead(status).end(code ? `<Error><Code>${code}</Code></Error>` : body.join(''));
});
const assume = () => assumeRole({ roleArn: 'arn:aws:iam::222222222222:role/b-test', name: 'test', seconds: 60 });

test('a refusal is not retried, and has the error type of STS', async () => {
  answers = [[403, 'AccessDenied']];
  await expect(assume()).rejects.toMatchObject({ name: 'AccessDenied', status: 403 });
  expect(requests).toHaveLength(1);
});

test('a request that STS could not process is retried', async () => {
  answers = [[503], [400, 'Throttling']];
  expect(await assume()).toEqual({
    accessKeyId: 'its-AccessKeyId',
    secretAccessKey: 'its-SecretAccessKey',
    sessionToken: 'its-SessionToken',
  });
  expect(requests).toHaveLength(3);
});

test('asks for no more than the policy allows, for the time that STS allows, and names itself to another account', async () => {
  answers = [];
  const roleArn = 'arn:aws:iam::222222222222:role/b-test';
  await assumeRole({ roleArn, name: 'test', seconds: 1800, policy: '{}', externalId: 'platform-b' });
  await assume();
  const request = { Action: 'AssumeRole', Version: '2011-06-15', RoleArn: roleArn, RoleSessionName: 'test' };
  expect(requests).toEqual([
    { ...request, DurationSeconds: '1800', Policy: '{}', ExternalId: 'platform-b' },
    { ...request, DurationSeconds: '900' },
  ]);
});
