import { beforeEach, expect, test } from 'vitest';
import { standInFor } from '../../test/support/aws-service.ts';
import { assumeRole } from './assume-role.ts';

/** STS, which gives the answers in their order: a status, and the code of an error. */
let answers: [status: number, code?: string][] = [];
let requests = 0;
beforeEach(() => {
  requests = 0;
});
standInFor('STS', (_method, response) => {
  requests += 1;
  const [status, code] = answers.shift() ?? [200];
  const body = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((each) => `<${each}>its-${each}</${each}>`);
  response.writeHead(status).end(code ? `<Error><Code>${code}</Code></Error>` : body.join(''));
});
const assume = () => assumeRole({ roleArn: 'arn:aws:iam::222222222222:role/b-test', name: 'test', seconds: 60 });

test('a refusal is not repeated, and is the error that STS names', async () => {
  answers = [[403, 'AccessDenied']];
  await expect(assume()).rejects.toMatchObject({ name: 'AccessDenied', status: 403 });
  expect(requests).toBe(1);
});

test('what STS could not answer is asked again', async () => {
  answers = [[503], [400, 'Throttling']];
  expect(await assume()).toEqual({
    accessKeyId: 'its-AccessKeyId',
    secretAccessKey: 'its-SecretAccessKey',
    sessionToken: 'its-SessionToken',
  });
  expect(requests).toBe(3);
});
