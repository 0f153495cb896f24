import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createEdge } from './edge.ts';

const code = `import cf from 'cloudfront';
async function handler(event) {
  cf.updateRequestOrigin({ domainName: await cf.kvs().get(event.request.headers.host.value) });
  return event.request;
}`;

test('forwards the methods that the distribution allows, and answers 403 to others, as CloudFront does', async () => {
  const decide = createEdge({ name: 'route-app', code, store: '' }, () => 'app.lambda-url.test', ['GET', 'HEAD']);
  const request = (method: string) =>
    Object.assign(new IncomingMessage(new Socket()), { method, url: '/', headers: { host: 'shop.test' } });
  expect(await decide(request('HEAD'))).toMatchObject({ forwardTo: 'app.lambda-url.test' });
  expect(await decide(request('PROPFIND'))).toMatchObject({ status: 403 });
});
