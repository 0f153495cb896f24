import { expect, test } from 'vitest';
import { call, startProviders, user } from '../../test/support/ai-calls.ts';

/** Calls that providers refuse, each in its own way. */

startProviders();

const XAI = 'xai/grok-4.3';

test('passes a refusal of content on in the words of the provider, and charges the prompt where the provider does', async () => {
  for (const stream of [false, true]) {
    const body = { model: XAI, stream, messages: user(`fault:content-refused ${'words '.repeat(100)}`) };
    const { apiError, done, report } = await call(body);
    expect(apiError).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(apiError?.message).toMatch(/^xAI refused the request: Content violates usage guidelines\. Model: .*_BIO\./);
    expect(report).toMatchObject({ estimated: true, usage: { output: 0 }, failure: { kind: 'content-refused' } });
    expect(report.usage?.input).toBeGreaterThan(100);
    expect(report.chargedMicroRand).toBeGreaterThan(0);
    expect(done).toEqual(['hold', 'settle 0']);
  }
});

test.each([XAI, 'openrouter/openrouter/auto'])(
  'does not take a refusal of content for one of the saved key (%s)',
  async (model) => {
    const { apiError, done } = await call({ model, messages: user('fault:content-refused') }, { saved: true });
    expect(apiError).toMatchObject({
      status: 400,
      message: expect.stringMatching(/refused the request: (Cont|Your chosen)/),
    });
    expect(done).toEqual(['hold', 'release']);
  },
);
