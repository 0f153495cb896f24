import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TIMEOUTS_S } from '../contract/limits/timeouts.ts';
import { renderOperations } from '../scripts/client-operations.ts';
import { toRequest } from './client.ts';
import {
  ApiError,
  type Client,
  ConnectionError,
  createClient,
  followEvents,
  InvalidSignatureError,
  verifyWebhook,
} from './index.ts';

const error = (code: string, status: number) => ({ error: { message: `It is ${code}.`, code, status } });
const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'x-request-id': 'req_1', ...headers } });

/** A response whose connection is lost after its first bytes. */
const broken =
  (text: string, status = 200) =>
  () => {
    const start = (body: ReadableStreamDefaultController<Uint8Array>) => body.enqueue(new TextEncoder().encode(text));
    const pull = (body: ReadableStreamDefaultController<Uint8Array>) => body.error(new TypeError('terminated'));
    return new Response(new ReadableStream({ start, pull }, { highWaterMark: 0 }), { status });
  };

type Step = Response | Error | (() => Response);

/** A client whose requests get these answers in turn. */
function scripted(...steps: Step[]) {
  const sent: { url: string; method: string; headers: Headers; body: unknown }[] = [];
  const send = async (url: string | URL | Request, { method = '', headers, body }: RequestInit = {}) => {
    sent.push({
      url: String(url),
      method,
      headers: new Headers(headers),
      body: body ? JSON.parse(String(body)) : undefined,
    });
    const step = steps.shift();
    if (step === undefined) throw new Error('no more requests were expected');
    if (step instanceof Error) throw step;
    return typeof step === 'function' ? step() : step;
  };
  return { sent, client: createClient({ baseUrl: 'https://x.example/', secretKey: 'sk_live_x', fetch: send }) };
}

test('the generated operations are those of the contract (npm run client:generate)', () => {
  expect(readFileSync(join(import.meta.dirname, 'operations.generated.ts'), 'utf8')).toBe(renderOperations());
});

test('the sources import nothing but each other', () => {
  for (const file of [
    'body',
    'client',
    'errors',
    'events',
    'index',
    'operations.generated',
    'pages',
    'request',
    'stream',
    'webhooks',
  ]) {
    const text = readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8');
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
    expect(
      imports.filter((name) => !name.startsWith('./')),
      file,
    ).toEqual([]);
  }
});

test('a mistake of the caller is thrown immediately, without a request', async () => {
  const { client, sent } = scripted();
  // @ts-expect-error -- options come second: an operation without input takes no field
  await expect(client.getAccount({ signal: new AbortController().signal })).rejects.toThrow(TypeError);
  expect(sent).toEqual([]);
  for (const baseUrl of ['localhost:4870', 'api.example.com', ''])
    expect(() => createClient({ baseUrl })).toThrow('baseUrl must be an address such as https://api.example.com');
});

test('a key that a header cannot contain is refused without showing it', async () => {
  const baseUrl = 'https://api.example.com';
  for (const key of ['sk_live_…', 'sk_live_a\nb'])
    for (const name of ['secretKey', 'publicKey'])
      expect(() => createClient({ baseUrl, [name]: key })).toThrow(
        new TypeError(`${name} has a character that cannot be sent in a header. Was it copied whole?`),
      );
  const client = createClient({ baseUrl, secretKey: 'sk_live_a\n' });
  await expect(client.createDeployment({ id: 'app_1' }, { idempotencyKey: 'a→b' })).rejects.toThrow(
    'idempotencyKey has',
  );
});

test('a key is sent without the line end or byte order mark of the file that it was in', async () => {
  const sent: unknown[] = [];
  const send = async (_url: unknown, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('authorization'));
    return json({ data: {} });
  };
  await createClient({ baseUrl: 'https://x.example', secretKey: '\uFEFF\nsk_live_x\r\n', fetch: send }).getAccount();
  expect(sent).toEqual(['Bearer sk_live_x']);
});

describe('a request', () => {
  test('is made of one input: path, query and body', () => {
    expect(toRequest('addDnsRecord', { id: 'dom_1/x', type: 'A', content: '1.2.3.4', ttl: undefined })).toEqual({
      method: 'POST',
      path: '/v1/domains/dom_1%2Fx/dns',
      repeatable: true,
      body: { type: 'A', content: '1.2.3.4' },
    });
    expect(toRequest('listInvoices', { status: 'UNPAID', limit: 5 })).toEqual({
      method: 'GET',
      path: '/v1/invoices?limit=5&status=UNPAID',
      repeatable: true,
    });
    expect(() => toRequest('getApp', {})).toThrow('getApp: id is required');
    expect(() => toRequest('listApps', { page: 2 })).toThrow('listApps has no field page');
  });

  test('is repeated with the same idempotency key, as long as Retry-After says', async () => {
    const { client, sent } = scripted(
      json(error('rate_limited', 429), 429, { 'retry-after': '0' }),
      new TypeError('fetch failed'),
      json({ data: { id: 'app_1' } }, 201),
    );
    expect(await client.createApp({ name: 'My shop' })).toEqual({ id: 'app_1' });
    expect(sent).toHaveLength(3);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[0]).toMatchObject({ url: 'https://x.example/v1/apps', method: 'POST', body: { name: 'My shop' } });
  });

  test('that is refused is an error with code, status and request id, and not repeated', async () => {
    const { client, sent } = scripted(json(error('not_found', 404), 404));
    const failed = await client.getApp({ id: 'app_1' }).catch((reason: unknown) => reason);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({ code: 'not_found', status: 404, requestId: 'req_1', message: 'It is not_found.' });
    expect(sent).toHaveLength(1);
  });

  test('ends with the last failure when its retries are used up, and does not wait for hours', async () => {
    const down = () => json(error('server_error', 503), 503, { 'retry-after': '0' });
    const { client, sent } = scripted(down, down, down);
    await expect(client.getAccount()).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(3);
    const slow = scripted(json(error('rate_limited', 429), 429, { 'retry-after': '86400' }));
    await expect(slow.client.getAccount()).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 86_400 });
    expect(slow.sent).toHaveLength(1);
  });

  test.each<[string, Step, (client: Client) => Promise<unknown>, unknown]>([
    ['broke', new TypeError('fetch failed'), (c) => c.deleteApp({ id: 'app_1' }), { id: 'app_1', deleted: true }],
    ['failed with 504', json({}, 504), (c) => c.deleteWebhook({ id: 'whk_1' }), { id: 'whk_1', deleted: true }],
    ['broke off', broken('{"data": '), (c) => c.deleteDatabase({ id: 'db_1' }), { id: 'db_1', deleted: true }],
    ['failed with 500', json({}, 500), (c) => c.deleteDnsRecord({ id: 'dom_1', recordId: 'rec_1' }), { ok: true }],
  ])('that deletes and finds nothing any more, after one that %s, has succeeded', async (_, lost, remove, result) => {
    const { client, sent } = scripted(lost, json(error('not_found', 404), 404));
    expect(await remove(client)).toEqual(result);
    expect(sent.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  });

  test('that deletes what never was there is an error, also after the rate limit', async () => {
    const absent = () => json(error('not_found', 404), 404);
    await expect(scripted(absent).client.deleteApp({ id: 'app_1' })).rejects.toMatchObject({ status: 404 });
    const limited = scripted(json(error('rate_limited', 429), 429, { 'retry-after': '0' }), absent);
    await expect(limited.client.deleteApp({ id: 'app_1' })).rejects.toMatchObject({ status: 404 });
    const other = scripted(new TypeError('fetch failed'), absent);
    await expect(other.client.updateApp({ id: 'app_1', branch: 'next' })).rejects.toMatchObject({ status: 404 });
  });

  test('for a chat is repeated when it was refused, and not when its answer was lost', async () => {
    const input = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'x' }] };
    const refused = scripted(json(error('rate_limited', 429), 429, { 'retry-after': '0' }), json({ id: '1' }));
    expect(await refused.client.createChatCompletion(input)).toEqual({ id: '1' });
    const lost = scripted(new TypeError('fetch failed'));
    await expect(lost.client.createChatCompletion(input)).rejects.toBeInstanceOf(ConnectionError);
    const late = scripted(json({}, 504));
    await expect(late.client.createChatCompletion(input)).rejects.toMatchObject({ status: 504 });
  });

  test.each([
    ['breaks off', broken('{"data": {"id": ')],
    ['is the page of a proxy', () => new Response('<!doctype html>')],
    ['is an error that breaks off', broken('{"error": {', 404)],
  ])('whose response %s is repeated, then a ConnectionError', async (_, lost) => {
    const { client, sent } = scripted(lost, json({ data: { id: 'app_1' } }, 201));
    expect(await client.createApp({ name: 'My shop' })).toEqual({ id: 'app_1' });
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
    const never = scripted(lost, lost);
    const failed = never.client.getApp({ id: 'app_1' }, { maxRetries: 1 });
    await expect(failed).rejects.toMatchObject({ name: 'ConnectionError', cause: expect.any(Error) });
    expect(never.sent).toHaveLength(2);
  });

  test('for a chat whose response breaks off is a ConnectionError, and not repeated', async () => {
    const { client, sent } = scripted(broken('{"id": '));
    const input = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'x' }] };
    await expect(client.createChatCompletion(input)).rejects.toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(1);
  });

  test('for a chat that fails after its response had begun as a success is an error', async () => {
    const input = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'x' }] };
    const body = `   ${JSON.stringify(error('server_error', 502))}`;
    const { client, sent } = scripted(new Response(body, { headers: { 'x-request-id': 'req_1' } }));
    const failed = await client.createChatCompletion(input).catch((reason: unknown) => reason);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({ code: 'server_error', status: 502, requestId: 'req_1' });
    expect(sent).toHaveLength(1);
  });

  test('ends with the reason of its caller who aborts it, whatever error the runtime has for it', async () => {
    const input = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'x' }] };
    // Node 20.3 ends a body with an error of its own.
    const own = () => new DOMException('This operation was aborted', 'AbortError');
    const ended = () => new Response(new ReadableStream({ pull: (body) => body.error(own()) }));
    const calls: [typeof fetch, (client: Client, signal: AbortSignal) => PromiseLike<unknown>][] = [
      [async () => ended(), (client, signal) => client.getAccount({}, { signal })],
      [() => Promise.reject(own()), (client, signal) => client.getAccount({}, { signal })],
      [
        async () => ended(),
        async (client, signal) => {
          for await (const _ of await client.createChatCompletion({ ...input, stream: true }, { signal }));
        },
      ],
    ];
    for (const [send, call] of calls) {
      const fetch = vi.fn(send);
      const client = createClient({ baseUrl: 'https://x.example', fetch });
      await expect(call(client, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
      expect(fetch).toHaveBeenCalledTimes(1);
    }
  });

  test('ends at once when its caller aborts it, in a wait too', async () => {
    const { client, sent } = scripted(json(error('rate_limited', 429), 429, { 'retry-after': '50' }));
    const controller = new AbortController();
    const call = client.getAccount({}, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(call).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});

test('a list is its first page when awaited, and all items when iterated over', async () => {
  const pages = () => [
    json({ data: [{ id: 'a' }, { id: 'b' }], has_more: true }),
    json({ data: [{ id: 'c' }], has_more: false }),
  ];
  const { client, sent } = scripted(...pages());
  expect(await client.listApps({ limit: 2 })).toMatchObject({ has_more: true });
  const all = scripted(...pages());
  const ids: string[] = [];
  for await (const { id } of all.client.listApps({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(all.sent.map(({ url }) => new URL(url).search)).toEqual(['?limit=2', '?limit=2&cursor=b']);
  const every = await scripted(...pages())
    .client.listApps()
    .all();
  expect(every.map(({ id }) => id)).toEqual(ids);
  expect(sent).toHaveLength(1);
});

test('a list continues after the cursor of a page whose filter excluded all items', async () => {
  const { client, sent } = scripted(
    json({ data: [], has_more: true, cursor: 'dlv_9' }),
    json({ data: [{ id: 'dlv_2' }], has_more: false }),
  );
  const found = await client.listDeliveries({ id: 'whk_1', status: 'FAILED' }).all();
  expect(found.map(({ id }) => id)).toEqual(['dlv_2']);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(['?status=FAILED', '?cursor=dlv_9&status=FAILED']);
});

test('follows events from now on, each once, and continues at the cursor', async () => {
  const page = (ids: string[], cursor: string, has_more = false) =>
    json({ data: ids.map((id) => ({ id, type: 'app.created' })), cursor, has_more });
  const { client, sent } = scripted(page(['old'], 'evc_1'), page(['a', 'b'], 'evc_3', true), page(['c'], 'evc_4'));
  const seen: string[] = [];
  for await (const { event, cursor } of followEvents(client, { intervalMs: 1 })) {
    seen.push(`${event.id} ${cursor}`);
    if (event.id === 'c') break;
  }
  expect(seen).toEqual(['a evc_3', 'b evc_3', 'c evc_4']);
  expect(sent.map(({ url }) => new URL(url).searchParams.get('after'))).toEqual([null, 'evc_1', 'evc_3']);
});

describe('a streamed chat', () => {
  const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const read = (text: string, size: number) => {
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.slice(n * size, (n + 1) * size),
    );
    return readFrom(new Response(ReadableStream.from(pieces)));
  };
  const readFrom = async (response: Response) => {
    const { client } = scripted(response);
    let said = '';
    const input = {
      model: 'openai/gpt-4o-mini',
      messages: [{ role: 'user' as const, content: 'x' }],
      stream: true as const,
    };
    for await (const { choices } of await client.createChatCompletion(input)) said += choices[0]?.delta.content ?? '';
    return said;
  };

  test.each([1, 2, 7, 1000])('is read in pieces of %d bytes', async (size) => {
    const text = `: still here\n\n${chunk('héllo ')}${chunk('wörld 😀').replaceAll('\n', '\r\n')}data: [DONE]\n\n`;
    expect(await read(text, size)).toBe('héllo wörld 😀');
  });

  test('that fails or breaks off throws', async () => {
    await expect(
      read(`${chunk('a')}data: ${JSON.stringify(error('server_error', 502))}\n\n`, 50),
    ).rejects.toMatchObject({
      code: 'server_error',
    });
    await expect(read(chunk('a'), 50)).rejects.toBeInstanceOf(ConnectionError);
    await expect(read('data: <html>\n\n', 50)).rejects.toBeInstanceOf(ConnectionError);
    await expect(readFrom(broken(chunk('a'))())).rejects.toMatchObject({
      name: 'ConnectionError',
      cause: { message: 'terminated' },
    });
  });
});

describe('the time limit', () => {
  afterEach(() => void vi.useRealTimers());

  const chat = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'x' }] };
  /** Returns the milliseconds for which a client waits for an answer. */
  async function waited(limit: { timeoutMs?: number }, call: (client: Client) => PromiseLike<unknown>) {
    vi.useFakeTimers();
    const begun = Date.now();
    const silent = (_: unknown, { signal }: RequestInit = {}) =>
      new Promise<Response>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const failed = Promise.resolve(
      call(createClient({ baseUrl: 'https://x.example', ...limit, maxRetries: 0, fetch: silent })),
    ).then(
      () => undefined,
      (reason: unknown) => ({ reason, took: Date.now() - begun }),
    );
    await vi.runAllTimersAsync();
    const { reason, took = 0 } = (await failed) ?? {};
    expect(reason).toBeInstanceOf(ConnectionError);
    return took;
  }

  test('of a chat is longer than the platform may take for its first byte', async () => {
    const longest = TIMEOUTS_S.edge.platform * 1000;
    expect(await waited({}, (client) => client.createChatCompletion(chat))).toBeGreaterThan(longest);
    expect(await waited({}, (client) => client.createChatCompletion({ ...chat, stream: true }))).toBeGreaterThan(
      longest,
    );
    expect(await waited({}, (client) => client.getAccount())).toBe(60_000);
  });

  test('is that of the caller where one is given', async () => {
    expect(await waited({ timeoutMs: 1000 }, (client) => client.createChatCompletion(chat))).toBe(1000);
    expect(await waited({}, (client) => client.createChatCompletion(chat, { timeoutMs: 2000 }))).toBe(2000);
    expect(await waited({ timeoutMs: 1000 }, (client) => client.getAccount({}, { timeoutMs: 3000 }))).toBe(3000);
  });
});

describe('a delivery', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
  const body = JSON.stringify({ id: 'evt_1', type: 'ping', created: '', data: { webhookId: 'whk_1' } });
  const signature = new Stripe('sk_test_unused').webhooks.generateTestHeaderString({ payload: body, secret });

  test('that is genuine is an event, under either secret of a rotation', async () => {
    expect(await verifyWebhook({ body, signature, secret })).toEqual(JSON.parse(body));
    const rotated = signature.replace(',v1=', `,v1=${'0'.repeat(64)},v1=`);
    expect(await verifyWebhook({ body, signature: rotated, secret })).toEqual(JSON.parse(body));
  });

  test.each([
    ['changed', { body: `${body} ` }],
    ['signed with another secret', { secret: 'whsec_other' }],
    ['not signed', { signature: undefined }],
    ['signed with nonsense', { signature: 't=1,v1=zz' }],
    ['too old', { now: new Date(Date.now() + 301_000) }],
    ['from the future', { now: new Date(Date.now() - 301_000) }],
  ])('that is %s is refused', async (_, change) => {
    await expect(verifyWebhook({ body, signature, secret, ...change })).rejects.toBeInstanceOf(InvalidSignatureError);
  });
});
