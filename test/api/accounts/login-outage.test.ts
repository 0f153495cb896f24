import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newAccount, type OpenedAccount, throughTheEdge } from '../../support/harness.ts';

/** Loads the platform's code into this process with an unreachable login issuer. */
let account: OpenedAccount;
beforeAll(async () => {
  account = await newAccount();
  // The functions that this file imports read it, and no other file's.
  vi.resetModules();
  vi.stubEnv('LOGIN_ISSUER', 'http://127.0.0.1:1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
async function ask(path: string, token: string) {
  const { handler }: { handler: unknown } = await import('../../../functions/api/listApps.ts');
  const http = { method: 'GET', path, sourceIp: '127.0.0.1' };
  const headers = { ...throughTheEdge(), authorization: `Bearer ${token}` };
  const event = { rawPath: path, headers, queryStringParameters: {}, requestContext: { http, requestId: 'test' } };
  const { statusCode, body, headers: sent } = await (handler as Handler)(event, {} as Context);
  return { statusCode, body: JSON.parse(body ?? '{}'), headers: sent };
}

test('while the login issuer is down, a login gets 503 instead of 401, and API keys keep working', async () => {
  const { statusCode, body, headers } = await ask('/dashboard/v1/apps', account.accessToken);
  expect([statusCode, body.error]).toMatchObject([503, { code: 'server_error', status: 503 }]);
  expect(headers, 'every response reports a limit').toMatchObject({ 'x-ratelimit-limit': expect.anything() });
  expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  expect((await ask('/v1/apps', account.secretKey)).statusCode).toBe(200);
});
