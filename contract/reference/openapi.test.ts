import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readNotifications } from '../accounts/notifications.ts';
import { isChange } from '../route.ts';
import { EVENTS } from '../webhooks/events.ts';
import { ERROR_SCHEMA, errorsOf, OWN_ERRORS } from './failures.ts';
import { type Audience, buildOpenApi, operationsOf } from './openapi.ts';

/** Keeps what Redocly's recommended rules and Spectral's `oas` check. */

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters: { $ref?: string; name?: string; in?: string; schema?: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { $ref?: string; description?: string; headers?: object; content?: object }>;
}
interface Failure {
  description: string;
  content: { 'application/json': { examples: Record<string, { value: { error: { code: string; status: number } } }> } };
}
interface Document {
  info: Record<string, unknown>;
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: Record<string, Record<string, object>> & { responses: Record<string, Failure> };
}

describe.each<Audience>(['platform', 'dashboard', 'operator'])('the document for the %s', (audience) => {
  const document = buildOpenApi(
    'https://api.example.org',
    'https://login.example.org',
    audience,
  ) as unknown as Document;
  const operations = Object.values(document.paths).flatMap((methods) => Object.entries(methods));
  const events = Object.values(document.webhooks ?? {}).map(({ post }) => post);
  const text = JSON.stringify(document);

  test('has each operation once, with a summary, a description, and a tag that is described', () => {
    const all = [...operations.map(([, operation]) => operation), ...events];
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    for (const { operationId, summary, description, tags } of all) {
      expect([summary.length > 5, description.length > 5, tags.length], operationId).toEqual([true, true, 1]);
      expect(document.tags.map(({ name }) => name)).toContain(tags[0]);
    }
    for (const { name, description } of document.tags) expect([name, description.length > 5]).toEqual([name, true]);
    expect(document.info).toMatchObject({ version: expect.any(String), license: {}, contact: {}, description: {} });
  });

  test('names every error of an operation, with an example of its status', () => {
    for (const [, { operationId, responses }] of operations) {
      const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      expect(
        failures.map(([status]) => status),
        operationId,
      ).toEqual(expect.arrayContaining(['429', '500', '503']));
      for (const [status, { $ref = '' }] of failures) {
        const named = document.components.responses[$ref.split('/').at(-1) ?? ''];
        const examples = Object.entries(named?.content['application/json'].examples ?? {});
        expect(examples.length, $ref).toBeGreaterThan(0);
        for (const [code, { value }] of examples) {
          expect(value.error).toMatchObject({ code, status: Number(status) });
          z.fromJSONSchema(ERROR_SCHEMA as never).parse(value);
        }
      }
    }
  });

  test('has the headers of every response, and the Idempotency-Key of every POST', () => {
    for (const [method, { operationId, parameters, responses }] of operations) {
      const isHook = /^(?:receive|unsubscribe)/.test(operationId);
      const success = Object.entries(responses).filter(([status]) => Number(status) < 300);
      expect(success.length, operationId).toBeGreaterThan(0);
      for (const [, { headers = {} }] of success) {
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-RateLimit-Remaining', 'X-Request-Id']));
        const ignores = ['post', 'put', 'patch'].includes(method) && !isHook && audience !== 'operator';
        expect('X-Ignored-Parameters' in headers, operationId).toBe(ignores);
      }
      const takesKey = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey');
      expect(takesKey, operationId).toBe(method === 'post' && !isHook && operationId !== 'createChatCompletion');
    }
  });

  // Generators copy a pattern between two slashes, where an escape that they have decoded ends the literal. Go and Rust have no
  // look-around.
  test('has no escaped line end and no look-around in a pattern', () => {
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, quoted = '']) => JSON.parse(quoted));
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => /\\(?:[nr]|x0[ad]|u000[ad]|u202[89])|\(\?[=!<]/i.test(pattern))).toEqual([]);
  });

  test('has no schema that only refers to itself', () => {
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      expect(schema).not.toMatchObject({ $ref: `#/components/schemas/${name}` });
    }
  });

  test('has no component that nothing uses, and no security scheme that is not defined', () => {
    for (const group of ['schemas', 'responses', 'headers', 'parameters']) {
      for (const name of Object.keys(document.components[group] ?? {})) {
        expect(text, name).toContain(`"#/components/${group}/${name}"`);
      }
    }
    const schemes = Object.keys(document.components.securitySchemes ?? {});
    const used = operations.flatMap(([, { security }]) => security.flatMap(Object.keys));
    expect([...new Set(used)].sort()).toEqual(schemes.sort());
  });
});

test('the document has every event with its payload, and streams with the schema of their chunks', () => {
  const document = buildOpenApi('', '') as unknown as Document;
  expect(Object.keys(document.webhooks ?? {}).sort()).toEqual(Object.keys(EVENTS).sort());
  const names = document.webhooks?.ping?.post.parameters.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['X-Service-Signature', 'webhook-id', 'webhook-signature']));
  const chat = document.paths['/ai/v1/chat/completions']?.post;
  expect(chat?.responses['200']?.content).toHaveProperty('text/event-stream');
  const roles = JSON.stringify(chat?.requestBody);
  for (const role of ['developer', 'tool', 'null']) expect(roles).toContain(`"${role}"`);
});

test('every change documents the 409 of an account that waits for its deletion', () => {
  const refused = [...operationsOf('platform'), ...operationsOf('dashboard')].filter(
    (route) => isChange(route) && !['none', 'hook'].includes(route.access),
  );
  expect(refused.map(({ id }) => id)).toEqual(expect.arrayContaining(['updateEnv', 'deleteDatabase', 'deleteWebhook']));
  expect(refused.filter((route) => !errorsOf(route).includes('conflict'))).toEqual([]);
});

test('errors that only the rules of an operation know are those of operations that exist', () => {
  const known = [...operationsOf('platform'), ...operationsOf('dashboard'), ...operationsOf('operator')].map(
    ({ id }) => id,
  );
  expect(Object.keys(OWN_ERRORS).filter((id) => !known.includes(id))).toEqual([]);
});

test('the forms of amounts, countries and times in a request are documented, and taken as documented', () => {
  const { paths, components } = buildOpenApi('', '', 'dashboard') as unknown as Document;
  const schemaOf = (path: string) => JSON.stringify(paths[path]?.post?.requestBody);
  expect(schemaOf('/dashboard/v1/wallet/topups')).toContain('"pattern":"^\\\\d{1,9}');
  expect(JSON.stringify(components.schemas?.Registrant)).toContain('"pattern":"^[A-Z]{2}$"');
  const until = '2026-01-31T11:30:00+02:00';
  expect(readNotifications.body?.().parse({ until })).toEqual({ until: '2026-01-31T09:30:00.000Z' });
});
