import { expect, test } from 'vitest';
import { addressOf } from './registry.ts';

test.each([
  ['https://api.openai.com/v1', '/chat/completions', 'https://api.openai.com/v1/chat/completions'],
  ['https://api.deepseek.com/', '/chat/completions', 'https://api.deepseek.com/chat/completions'],
  ['https://api.anthropic.com', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['https://api.anthropic.com/v1/', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['http://127.0.0.1:9/anthropic', '/v1/messages', 'http://127.0.0.1:9/anthropic/v1/messages'],
])('a call to %s is sent to %s', (baseUrl, path, address) => {
  expect(addressOf(baseUrl, path)).toBe(address);
});
