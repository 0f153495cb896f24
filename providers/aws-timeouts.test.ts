import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { expect, onTestFinished, test } from 'vitest';
import { sdkTimeouts } from './aws-timeouts.ts';
import { createDistributionTenants } from './edge/tenants.ts';

/** The distribution tenants of a service that handles each request in this way. */
async function tenantsOf(handle: RequestListener) {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new CloudFrontClient({
    ...sdkTimeouts(0.2),
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    maxAttempts: 2,
  });
  onTestFinished(async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return createDistributionTenants(client, { distributionId: 'D', connectionGroupId: 'G' });
}

test.each<[string, RequestListener]>([
  ['is silent', () => undefined],
  ['stops in its response', (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('<')],
])('gives up an attempt at a service that %s, and tries again', async (_, handle) => {
  let attempts = 0;
  const tenants = await tenantsOf((request, response) => {
    attempts += 1;
    handle(request, response);
  });
  await expect(tenants.find('name')).rejects.toThrow();
  expect(attempts).toBe(2);
});

test('a call succeeds whose first attempt had no response', async () => {
  let attempts = 0;
  const tenants = await tenantsOf((_, response) => {
    attempts += 1;
    if (attempts > 1) response.writeHead(404, { 'content-type': 'text/xml' }).end(MISSING);
  });
  expect(await tenants.find('name')).toBeUndefined();
  expect(attempts).toBe(2);
});
const MISSING = '<ErrorResponse><Error><Code>EntityNotFound</Code></Error></ErrorResponse>';
