import { describe, expect, test } from 'vitest';
import { type FailureKind, parseFailure, parseReportedFailure } from './failures.ts';

/** Errors as providers send them. */

const parse = (status: number, body: unknown, headers = {}, checksContent = true) =>
  parseFailure(status, headers, Buffer.from(JSON.stringify(body)), checksContent);
const openAi = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } });

const XAI_CONTENT = {
  code: 'The caller does not have permission to execute the specified operation',
  error:
    'Content violates usage guidelines. Team: 1-a, API key ID: 2-b, Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO',
};

describe('a 403', () => {
  test.each<[string, unknown, FailureKind]>([
    ['xAI: content', XAI_CONTENT, 'content-refused'],
    ['xAI: content, by code', { code: 'permission-denied', error: XAI_CONTENT.error }, 'content-refused'],
    [
      'xAI: the endpoint',
      { code: 'permission-denied', error: 'Access to the chat endpoint is denied.' },
      'key-refused',
    ],
    [
      'OpenRouter: flagged',
      { error: { code: 403, message: 'Refused', metadata: { reasons: ['a'], flagged_input: 'b' } } },
      'content-refused',
    ],
    [
      'OpenRouter: moderation',
      { error: { code: 403, message: 'Your chosen model requires moderation and your input was flagged' } },
      'content-refused',
    ],
    ['Anthropic: the key', { error: { type: 'permission_error', message: 'Your API key may not.' } }, 'key-refused'],
    ['OpenAI: the country', openAi('Country, region, or territory not supported'), 'key-refused'],
    ['no JSON', '<html>', 'key-refused'],
  ])('is about the content or the key (%s)', (_what, body, kind) => {
    expect(parse(403, body)).toMatchObject({ kind });
  });

  test.each([
    'Your organization has been flagged for unusual activity; access is disabled.',
    'This team was suspended: its use violates our usage guidelines.',
    'Your account has been blocked after its input was flagged. It violates our policies.',
  ])('about the account of the key is not about the content: %s', (message) => {
    expect(parse(403, openAi(message))).toMatchObject({ kind: 'key-refused' });
    expect(parseReportedFailure({ error: { code: 403, message } }, true)).toMatchObject({ kind: 'key-refused' });
  });

  test('of a provider that does not check the content is about the key', () => {
    const message = 'You do not have access to omni-moderation-latest, or your use violates our policies.';
    expect(parse(403, openAi(message), {}, false)).toMatchObject({ kind: 'key-refused' });
    expect(parse(403, XAI_CONTENT, {}, false)).toMatchObject({ kind: 'key-refused' });
    const reported = { error: { code: 403, message } };
    expect(parseReportedFailure(reported)).toMatchObject({ kind: 'key-refused' });
    expect(parseReportedFailure(reported, true)).toMatchObject({ kind: 'content-refused' });
  });

  test('has the message of the provider without ids of the account', () => {
    const words = 'Content violates usage guidelines. Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO';
    expect(parse(403, XAI_CONTENT)).toMatchObject({ words });
  });
});

test.each<[string, number, unknown, FailureKind]>([
  ['Google: not valid', 400, [openAi('API key not valid. Please pass a valid API key.')], 'key-refused'],
  ['Google: expired', 400, [openAi('API key expired. Please renew the API key.')], 'key-refused'],
  ['Google: by reason', 400, [openAi('Invalid', { details: [{ reason: 'API_KEY_INVALID' }] })], 'key-refused'],
  ['xAI', 400, { code: 'invalid', error: 'Incorrect API key provided: xa***23.' }, 'key-refused'],
  ['Anthropic: credit', 400, openAi('Your credit balance is too low to access the Anthropic API.'), 'credit-used-up'],
  [
    'Anthropic: limit',
    400,
    openAi('You have reached your specified API usage limits. You will regain access on 2026-12-01.'),
    'credit-used-up',
  ],
  ['OpenAI: quota', 429, openAi('You exceeded your current quota.', { code: 'insufficient_quota' }), 'credit-used-up'],
  ['xAI: credit', 429, { error: 'Your team 1-a has either used all available credits or reached' }, 'credit-used-up'],
  ['xAI: credit, 403', 403, { error: 'Your team 1-a has either used all available credits or' }, 'credit-used-up'],
  ['DeepSeek', 402, openAi('Insufficient Balance'), 'credit-used-up'],
  ['Google: pace', 429, [openAi('You exceeded your current quota', { status: 'RESOURCE_EXHAUSTED' })], 'overloaded'],
  ['Google: our region', 400, [openAi('User location is not supported for the API use.')], 'failed'],
  ['a value', 400, openAi("Invalid value: 'API key not valid'. Supported values are: 'auto'."), 'request-refused'],
  ['a text', 400, openAi("Invalid schema: 'your credit balance is too low' is not a type."), 'request-refused'],
])('a refusal is about the owner of the key or the request (%s)', (_what, status, body, kind) => {
  expect(parse(status, body)).toMatchObject({ kind });
});

test.each<[number, unknown, FailureKind]>([
  [401, {}, 'key-refused'],
  [402, {}, 'credit-used-up'],
  ...[400, 404, 413, 422].map((status): [number, unknown, FailureKind] => [status, openAi('No'), 'request-refused']),
  [400, openAi('It says: user location is not supported.'), 'request-refused'],
  [405, {}, 'failed'],
  [408, openAi('The model is overloaded'), 'failed'],
  [429, {}, 'overloaded'],
  [529, {}, 'overloaded'],
  [500, {}, 'failed'],
  [500, openAi('The model is overloaded'), 'failed'],
  [503, openAi('The model is Overloaded'), 'overloaded'],
  [503, openAi('Maintenance'), 'failed'],
  [500, { error: { type: 'overloaded_error' } }, 'overloaded'],
  [500, { error: { code: 'RATE_LIMIT_EXCEEDED' } }, 'overloaded'],
  [500, [{ error: { status: 'RESOURCE_EXHAUSTED' } }], 'overloaded'],
])('a status has its kind, with its body: %i %j', (status, body, kind) => {
  expect(parse(status, body)).toMatchObject({ kind, status });
});

test.each<[object, FailureKind, number | undefined]>([
  [{ code: 429 }, 'overloaded', 429],
  [{ status: 503, message: 'overloaded' }, 'overloaded', 503],
  [{ code: 400 }, 'request-refused', 400],
  [{ code: 200 }, 'failed', undefined],
  [{ code: 1302 }, 'failed', undefined],
  [{ type: 'overloaded_error' }, 'overloaded', undefined],
  [{}, 'failed', undefined],
])('an error in a stream has the kind of the status that it names: %j', (error, kind, status) => {
  expect(parseReportedFailure({ error })).toMatchObject({ kind, status });
});

const FORBIDDEN = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted', input: 'a secret of the caller' };

test.each<[string, unknown]>([
  ['in the message', { object: 'error', message: { detail: [{ ...FORBIDDEN, loc: ['body', 'user'] }] }, code: null }],
  ['as the message', { object: 'Error', message: [{ ...FORBIDDEN, loc: ['body', 'user'] }], code: 3001 }],
  ['as the detail', { detail: [{ ...FORBIDDEN, loc: ['body', 'user'] }] }],
])('a validator’s message names the refused fields without their values (%s)', (_what, body) => {
  const words = 'user: Extra inputs are not permitted';
  expect(parse(422, body)).toMatchObject({ kind: 'request-refused', words });
});

test('a validator names all fields', () => {
  const detail = [
    { ...FORBIDDEN, loc: ['body', 'messages', 1, 'assistant', 'refusal'] },
    { msg: 'Field required' },
    { loc: [] },
    'x',
  ];
  const words = 'messages.1.assistant.refusal: Extra inputs are not permitted; Field required';
  expect(parse(422, { detail })).toMatchObject({ words });
  expect(parse(422, { detail: [] }).words).toBeUndefined();
});

test('an error in a stream is about the owner of the key, too', () => {
  const quota = { error: { type: 'insufficient_quota', message: 'You exceeded your current quota.' } };
  expect(parseReportedFailure(quota)).toMatchObject({ kind: 'credit-used-up' });
  expect(parseReportedFailure({ error: { code: 400, message: 'API key expired.' } })).toMatchObject({
    kind: 'key-refused',
  });
});

test.each<[object, unknown, number | undefined]>([
  [{ 'retry-after': '7' }, undefined, 7],
  [{ 'retry-after-ms': '1200' }, undefined, 2],
  [{}, '37s', 37],
  [{}, '45.837906927s', 46],
  [{ 'retry-after': '7' }, '37s', 7],
  [{ 'retry-after': '0' }, undefined, 1],
  [{ 'retry-after': new Date(0).toUTCString() }, undefined, 1],
  [{}, 'soon', undefined],
  [{}, undefined, undefined],
])('reads the wait from the headers (%j) or the error (%s)', (headers, retryDelay, retryAfter) => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure' }, ...(retryDelay ? [{ retryDelay }] : [])];
  expect(parse(429, [openAi('Quota', { details })], headers).retryAfter).toBe(retryAfter);
});

test('cuts a provider’s message that is too long between characters', () => {
  const failure = parse(400, openAi(`${'x'.repeat(999)}🙂 and more`));
  failure.maskKey('sk-1');
  expect(failure.words).toBe(`${'x'.repeat(999)}…`);
});
