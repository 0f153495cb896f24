import { describe, expect, test } from 'vitest';
import { type FailureKind, parseFailure } from './failures.ts';

/** Errors as providers send them. */

const parse = (status: number, body: unknown, headers = {}) =>
  parseFailure(status, headers, Buffer.from(JSON.stringify(body)));
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

  test('has the words of the provider without ids of the account', () => {
    const words = 'Content violates usage guidelines. Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO';
    expect(parse(403, XAI_CONTENT)).toMatchObject({ words });
  });
});
