import { compileFunction } from 'node:vm';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod', domain: 'hosting.example' });

const Request = z.object({ headers: z.record(z.string(), z.object({ value: z.string() })) });
const Answer = z.object({ statusCode: z.number(), body: z.string() });

/** Runs the code of a CloudFront Function as the template has it, with a KeyValueStore that holds `routes`. */
async function run(name: string, event: object, routes: Record<string, string> = {}) {
  const functions = read(
    template,
    'AWS::CloudFront::Function',
    z.object({ Name: z.string(), FunctionCode: z.string() }),
  );
  const code = functions.find(({ Name }) => Name === `hosting-prod-${name}`)?.FunctionCode ?? '';
  expect(Buffer.byteLength(code), "CloudFront's limit").toBeLessThan(10_240);
  const origins: string[] = [];
  const cf = {
    kvs: () => ({ exists: async (key: string) => key in routes, get: async (key: string) => routes[key] }),
    updateRequestOrigin: ({ domainName }: { domainName: string }) => origins.push(domainName),
  };
  const handler = compileFunction(`${code.replace(/^import .*$/m, '')}\nreturn handler(event);`, ['cf', 'event']);
  const result: unknown = await handler(cf, event);
  return { result, origins };
}

const requestFor = (host: string) => ({ request: { headers: { host: { value: host } } } });

describe('a request to an application', () => {
  test('goes to its function and says what the visitor asked for', async () => {
    const event = requestFor('Shop.apps.hosting.example');
    const { result, origins } = await run('route-app', event, { 'shop.apps.hosting.example': 'abc.lambda-url.on.aws' });
    expect(origins).toEqual(['abc.lambda-url.on.aws']);
    expect(Request.parse(result).headers['x-forwarded-host']?.value).toBe('shop.apps.hosting.example');
  });

  test('before the first release is answered with a page', async () => {
    const { result, origins } = await run('route-app', requestFor('new.apps.hosting.example'), {
      'new.apps.hosting.example': 'placeholder',
    });
    expect(Answer.parse(result)).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('not been deployed yet'),
    });
    expect(origins).toEqual([]);
  });

  test('that is not there is a 404', async () => {
    const { result } = await run('route-app', requestFor('constructor.apps.hosting.example'));
    expect(Answer.parse(result).statusCode).toBe(404);
  });
});

test('the API is told the address of its caller, whatever the caller says it is', async () => {
  const { result } = await run('name-visitor', {
    viewer: { ip: '198.51.100.7' },
    request: { headers: { 'x-viewer-address': { value: '10.0.0.1' } } },
  });
  expect(Request.parse(result).headers['x-viewer-address']?.value).toBe('198.51.100.7');
});
