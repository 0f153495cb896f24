import { expect, test } from 'vitest';
import { UserError } from '../data-directory.ts';
import { shellOverrides } from './functions.ts';

test('overrides only the documented variables from the shell', () => {
  const shell = { RATE_LIMIT_SECRET: '7', OPENAI_API_KEY: 'sk-mine', TABLE_NAME: 'other', RATE_LIMIT_PUBLIC: '' };
  expect(shellOverrides(shell)).toEqual({ RATE_LIMIT_SECRET: '7', OPENAI_API_KEY: 'sk-mine' });
});

test.each([
  ['RATE_LIMIT_SECRET', 'many'],
  ['RATE_LIMIT_PUBLIC', '0'],
  ['WEBHOOK_RETRY_SCHEDULE', '1m,5m'],
  ['WEBHOOK_RETRY_SCHEDULE', '.,1'],
  ['AI_PROVIDER_BASE_URLS', 'http://127.0.0.1:9'],
  ['AI_PROVIDER_BASE_URLS', '{"openai":"here"}'],
  ['BUILD_SECONDS', '30m'],
  ['BUILD_SECONDS', '0'],
  ['BUILD_SECONDS', '3000000'],
])('rejects %s=%s by name before anything starts', (name, value) => {
  expect(() => shellOverrides({ [name]: value })).toThrow(UserError);
  expect(() => shellOverrides({ [name]: value })).toThrow(name);
});

test.each([
  ['WEBHOOK_RETRY_SCHEDULE', '1, 1, 2'],
  ['WEBHOOK_RETRY_SCHEDULE', '0.5,1'],
  ['BUILD_SECONDS', '25'],
  ['AI_PROVIDER_BASE_URLS', '{"openai":"http://127.0.0.1:9/v1"}'],
])('accepts %s=%s', (name, value) => {
  expect(shellOverrides({ [name]: value })).toEqual({ [name]: value });
});
