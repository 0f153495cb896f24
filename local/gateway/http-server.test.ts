import { request } from 'node:http';
import { connect, isIPv4 } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort, outsideAddresses } from '../processes/ports.ts';
import { createCors } from './cors.ts';
import { queryParameters, splitTarget, toHttpEvent } from './http-event.ts';
import { toHttpResponse } from './http-response.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { createRouter } from './routes.ts';

const route = (key: string) => ({ key, functionArn: `arn:${key}`, timeoutMs: 1000 });

describe('routes', () => {
  const find = createRouter(
    ['GET /v1/apps/{id}', 'GET /v1/apps/mine', 'ANY /v1/apps/{id}', 'POST /files/{path+}', '$default'].map(route),
  );
  test.each([
    ['GET', '/v1/apps/app_1', 'GET /v1/apps/{id}', { id: 'app_1' }],
    ['GET', '/v1/apps/mine', 'GET /v1/apps/mine', {}],
    ['PUT', '/v1/apps/a%20b%2Fc', 'ANY /v1/apps/{id}', { id: 'a b/c' }],
    ['GET', '/v1/apps/%zz', 'GET /v1/apps/{id}', { id: '%zz' }],
    ['GET', '/v1/apps/', '$default', {}],
    ['POST', '/files/a/b', 'POST /files/{path+}', { path: 'a/b' }],
    ['GET', '/files/a', '$default', {}],
  ])('%s %s', (method, path, key, pathParameters) => {
    const match = find(method, path);
    expect(match?.route.key).toBe(key);
    expect(match?.pathParameters).toEqual(pathParameters);
  });
});

describe('events', () => {
  const event = (given: { target?: string; rawHeaders?: string[]; body?: Buffer }) =>
    toHttpEvent(
      {
        method: 'POST',
        target: '/a',
        rawHeaders: [],
        httpVersion: '1.1',
        sourceIp: '127.0.0.9',
        body: Buffer.alloc(0),
        ...given,
      },
      { route: route('POST /a'), pathParameters: {} },
      new Date(Date.UTC(2026, 2, 5, 4, 3, 2)),
    );

  test('repeated parameters and headers are joined, cookies are apart', () => {
    const made = event({
      target: '/a?x=1&x=2&y=a%20b+c&bad=%zz',
      rawHeaders: ['X-One', 'a', 'x-one', 'b', 'Cookie', 'k=v; l=w', '__proto__', 'p'],
    });
    expect(made).toMatchObject({
      rawPath: '/a',
      rawQueryString: 'x=1&x=2&y=a%20b+c&bad=%zz',
      queryStringParameters: { x: '1,2', y: 'a b c', bad: '%zz' },
      headers: { 'x-one': 'a,b', 'x-forwarded-for': '127.0.0.9' },
      cookies: ['k=v', 'l=w'],
      requestContext: { http: { sourceIp: '127.0.0.9' }, time: '05/Mar/2026:04:03:02 +0000' },
      isBase64Encoded: false,
    });
    expect(made).not.toHaveProperty('body');
  });

  test('JSON is text, anything else is base64', () => {
    const body = Buffer.from('{"ü":1}');
    expect(event({ body, rawHeaders: ['Content-Type', 'application/json; charset=utf-8'] })).toMatchObject({
      body: '{"ü":1}',
      isBase64Encoded: false,
    });
    expect(event({ body, rawHeaders: ['Content-Type', 'application/octet-stream'] })).toMatchObject({
      body: body.toString('base64'),
      isBase64Encoded: true,
    });
    expect(event({ body })).toMatchObject({ isBase64Encoded: true });
  });

  test('odd targets', () => {
    expect(splitTarget('http://host/path?q')).toEqual({ path: '/path', query: 'q' });
    expect(splitTarget('*')).toEqual({ path: '/*', query: '' });
    expect(queryParameters('a&=b&&a=1')).toEqual({ a: ',1', '': 'b' });
  });
});

describe('answers', () => {
  test('what a function may answer', () => {
    expect(toHttpResponse({ a: 1 })).toMatchObject({ status: 200, body: '{"a":1}' });
    expect(toHttpResponse('text')).toMatchObject({ status: 200, body: 'text' });
    expect(toHttpResponse({ statusCode: 201, body: 'aGk=', isBase64Encoded: true }).body).toEqual(Buffer.from('hi'));
    expect(toHttpResponse({ statusCode: 200, headers: { 'X-A': 1, 'Content-Length': 5 } }).headers).toEqual({
      'x-a': '1',
    });
  });
  test.each([{ statusCode: 'x' }, { statusCode: 200, body: {} }, { statusCode: 42 }, { statusCode: 200, headers: [] }])(
    'malformed: %j',
    (result) => {
      expect(toHttpResponse(result)).toMatchObject({ status: 500, body: '{"message":"Internal Server Error"}' });
    },
  );
});

describe('HTTP server', () => {
  const fronts: HttpServer[] = [];
  afterEach(async () => {
    for (const front of fronts.splice(0)) await front.stop();
  });
  async function front(options: Partial<HttpServerOptions> = {}): Promise<number> {
    const port = await freePort();
    const started = await startHttpServer({
      port,
      host: '127.0.0.1',
      route: createRouter([route('$default')]),
      lambda: {
        invokeText: async (_, event) => {
          const { requestContext, body = '' } = JSON.parse(event);
          return JSON.stringify({ statusCode: 200, body: `${requestContext.http.method} ${body.length}` });
        },
      },
      cors: undefined,
      appEdgeOf: (host) =>
        host.endsWith('.apps.localhost')
          ? {
              decide: async () => ({ status: 404, headers: {}, body: 'no such app' }),
              serve: async (_, __, response) => void response.end('app'),
            }
          : undefined,
      ...options,
    });
    fronts.push(started);
    return port;
  }

  /** Sends these exact bytes and returns everything received. */
  const raw = (port: number, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
      setTimeout(() => socket.end(), 1000).unref();
    });

  test('answers an invalid HTTP request in the standard error shape', async () => {
    const port = await front();
    for (const text of [
      'nonsense\r\n\r\n',
      `GET / HTTP/1.1\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
    ]) {
      const answer = await raw(port, text);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).toMatch(/\{"error":\{"message":"[^"]+","code":"invalid_request","status":4\d\d\}\}$/);
    }
  });

  test('passes an application the path of an absolute URL, as CloudFront does', async () => {
    const port = await front({
      appEdgeOf: () => ({
        decide: async () => ({ forwardTo: '', headers: {} }),
        serve: async (_, { url }, response) => void response.setHeader('content-length', url?.length ?? 0).end(url),
      }),
    });
    const paths = ['http://shop.apps.localhost/a?b=http://c/d', 'http://shop.apps.localhost?q', '/a//b?', '//a'];
    const answers = paths.map((path) => raw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    const bodies = (await Promise.all(answers)).map((answer) => answer.split('\r\n\r\n')[1]);
    expect(bodies).toEqual(['/a?b=http://c/d', '/?q', '/a//b?', '//a']);
  });

  test('listens on loopback alone by default, and on loopback beside the address that HOST names', async () => {
    const [outside] = outsideAddresses().filter((address) => isIPv4(address));
    const answers = async (port: number, host: string) =>
      await fetch(`http://${host}:${port}/`).then(
        ({ status }) => status,
        () => 'unreachable',
      );
    const port = await front();
    expect(await answers(port, '127.0.0.1')).toBe(200);
    if (!outside) return;
    expect(await answers(port, outside)).toBe('unreachable');
    for (const host of [outside, '0.0.0.0']) {
      const open = await front({ host });
      expect([await answers(open, '127.0.0.1'), await answers(open, outside)]).toEqual([200, 200]);
    }
  });

  test('refuses host names that are not its own with 403, also for unknown methods', async () => {
    const port = await front();
    for (const [line, host, status] of [
      ['GET / HTTP/1.1', 'evil.example', 403],
      ['BREW /pot HTTP/1.1', 'evil.example', 403],
      ['GET http://localhost/ HTTP/1.1', 'evil.example', 403],
      ['GET / HTTP/1.1', `127.0.0.1:${port}`, 200],
    ]) {
      const answer = await raw(port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      if (status === 403) expect(answer).toContain('"code":"forbidden","status":403}}');
    }
  });

  test('routes an unknown method to $default', async () => {
    const port = await front();
    expect(await raw(port, 'BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*BREW 0$/,
    );
  });

  test('truncates an oversized body, reads it to its end and answers', async () => {
    const port = await front();
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(12 * 1024 * 1024, 'a'),
    });
    expect(await answer.text()).toBe(`POST ${6 * 1024 * 1024 + 1024}`);
  });

  test('answers 500 if the function fails', async () => {
    const port = await front({ lambda: { invokeText: () => Promise.reject(new Error('boom')) } });
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ message: 'Internal Server Error' });
  });

  test('hosted applications by Host', async () => {
    const port = await front();
    const answer = await new Promise<string>((resolve) => {
      request({ port, headers: { host: `x.apps.localhost:${port}` } }, (incoming) => {
        incoming.on('data', (chunk) => resolve(`${incoming.statusCode} ${chunk}`));
      }).end();
    });
    expect(answer).toBe('404 no such app');
  });

  test('preflights and answers carry the CORS headers of the configuration', async () => {
    const port = await front({
      cors: createCors({
        AllowOrigins: ['*'],
        AllowMethods: ['GET', 'POST'],
        AllowHeaders: ['X-A'],
        ExposeHeaders: ['X-B'],
        MaxAge: 60,
      }),
    });
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    const preflight = await fetch(`http://127.0.0.1:${port}/`, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,POST',
      'access-control-allow-headers': 'X-A',
      'access-control-max-age': '60',
    });
    const plain = await fetch(`http://127.0.0.1:${port}/`, { headers: { origin: 'https://a.example' } });
    expect(plain.headers.get('access-control-expose-headers')).toBe('X-B');
    await plain.text();
  });
});
