import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { readLogs } from '../support/functions.ts';
import { local, newAccount, waitFor } from '../support/harness.ts';
import { receiver } from '../support/receivers.ts';

test('the id of a request is on every line of what follows from it, from the deployment to the delivery', async () => {
  const witness = await receiver();
  const account = await newAccount();
  const { secret } = (
    await account.call(createWebhook, { body: { url: `${witness.url}/ok`, events: ['deployment.succeeded'] } })
  ).body.data;
  const repoUrl = 'https://git.localhost/hello-node.git';
  const app = await account.call(createApp, {
    body: { name: 'Followed', framework: 'NODE', startFile: 'server.js', repoUrl, deployNow: false },
  });
  const { id } = app.body.data;
  const value = `secret-value-${account.id}`;
  await account.call(replaceEnv, { params: { id }, body: { vars: [{ key: 'HIDDEN', value }] } });
  const deployment = await account.call(createDeployment, { params: { id } });
  const requestId = deployment.headers.get('x-request-id') ?? '';
  expect(requestId).not.toBe('');
  await waitFor(async () => {
    const { status } = (await account.call(getDeployment, { params: { id: deployment.body.data.id } })).body.data;
    expect(status).not.toBe('FAILED');
    return status === 'SUCCEEDED';
  }, 500);
  const linesOf = (name: string) =>
    readLogs(local).filter(({ fields, function: of }) => of === name && fields.requestId === requestId);
  await waitFor(async () => linesOf('queue-deliverWebhook').length > 0);

  const [request] = linesOf('api-createDeployment');
  expect(request?.fields).toMatchObject({
    accountId: account.id,
    keyId: expect.stringMatching(/^key_/),
    address: expect.any(String),
  });
  for (const step of [
    'beginDeployment',
    'submitBuild',
    'releaseDeployment',
    'checkRelease',
    'switchRelease',
    'succeedDeployment',
  ])
    expect(
      linesOf(`workflow-${step}`).map(({ fields }) => fields.deploymentId),
      step,
    ).toContain(deployment.body.data.id);
  expect(linesOf('queue-deliverWebhook')[0]?.fields).toMatchObject({ message: 'message done', accountId: account.id });

  // Everything that the platform has logged in this run, of all tests so far.
  const logged = readLogs(local)
    .map(({ text }) => text)
    .join('\n');
  for (const hidden of [account.secretKey, account.accessToken, secret, secret.slice('whsec_'.length), value])
    expect(logged).not.toContain(hidden);
  expect(logged).not.toMatch(/whsec_[A-Za-z0-9+/]{20}|"authorization"|-----BEGIN|sk_(live|test)_\w{16}/);
  await witness.stop();
}, 240_000);
