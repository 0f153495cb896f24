import { expect, test } from 'vitest';
import { parseFailure } from '../../providers/ai/failures.ts';
import { toApiError } from './errors.ts';

const ours = { providerName: 'OpenAI', saved: false, requestId: 'req' };
const refusal = (status: number, message: string) =>
  toApiError(parseFailure(status, {}, Buffer.from(JSON.stringify({ error: { message } }))), ours);

test.each([
  [400, "Invalid value for 'temperature': expected a number between 0 and 2."],
  [404, 'The model `x` does not exist or you do not have access to it.'],
  [413, 'Request too large: 40 MB'],
])('a refusal (%i) under our own key is in the provider’s words', (status, words) => {
  const end = words.endsWith('.') ? '' : '.';
  expect(refusal(status, words)).toMatchObject({
    status: 400,
    message: `OpenAI refused the request: ${words}${end} Request id: req`,
  });
});

test.each([
  'This organization must be verified to use the model.',
  'Organisation org-a1b2 is not allowed to do that',
  'Project `proj_abc` does not have access to model `x`.',
  'Your account is not active, please check your billing details.',
  'Request too large for gpt-4o on tokens per minute (TPM): limit 30000.',
  'Only tier 5 may use this model.',
  'The key sk-abcdefghijklmnop1234 does not have access to this model.',
  'You can find more at https://platform.example.com/settings.',
  'Ask owner@example.com.',
  '',
])('a refusal that is about us is not quoted: %s', (words) => {
  expect(refusal(400, words).message).toMatch(/^OpenAI refused the request as invalid; [^:]*\. Request id: req$/);
});
