import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, settingsProblem, toCode, toRequest } from './playground-code.ts';

const settings = { system: ' Be brief. ', temperature: '0,5', maxTokens: '100' };
const messages = [{ role: 'user', content: "it's $5" }];

test('a request has the system prompt first, and only the parameters that were given', () => {
  expect(toRequest('openai/gpt-5', messages, settings)).toEqual({
    model: 'openai/gpt-5',
    messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
    temperature: 0.5,
    max_tokens: 100,
  });
  expect(toRequest('openai/gpt-5', messages, DEFAULT_SETTINGS)).toEqual({ model: 'openai/gpt-5', messages });
});

test('parameters out of range are named', () => {
  expect(settingsProblem(settings)).toBeUndefined();
  for (const temperature of ['3', 'hot', '-1'])
    expect(settingsProblem({ ...settings, temperature })).toMatch(/^Temperature/);
  for (const maxTokens of ['0', '1.5', 'many']) expect(settingsProblem({ ...settings, maxTokens })).toMatch(/^Maximum/);
});

test('code in each language sends the request with a key from the environment, never in the text', () => {
  const request = toRequest('openai/gpt-5', messages, settings);
  const url = 'https://example.com/ai/v1';
  const curl = toCode('curl', url, request);
  expect(curl).toContain(`${url}/chat/completions`);
  expect(curl).toContain(`it'\\''s $5`);
  for (const language of ['typescript', 'python'] as const) {
    const code = toCode(language, url, request);
    expect(code).toContain(JSON.stringify(request, null, 2));
    expect(code).toContain(url);
  }
  for (const language of ['curl', 'typescript', 'python'] as const)
    expect(toCode(language, url, request)).toContain('HOSTING_API_KEY');
});
