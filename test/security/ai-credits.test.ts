import { describe, expect, test } from 'vitest';
import { buyAiCredits, getAiCredits, putProviderKey } from '../../contract/ai/management.ts';
import { newAccount, type OpenedAccount, raw, waitFor } from '../support/harness.ts';

/** The greedy provider, over HTTP: credits never pay for more than was bought (docs/threat-model.md, AI credits). */

const MICRO_RAND = 1_000_000;
const gpt = 'openai/gpt-4o-mini';
const claude = 'anthropic/claude-sonnet-4-5';
const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`;

async function complete(account: OpenedAccount, body: object | string) {
  const response = await raw('/ai/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${account.secretKey}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const said = await response.text();
  const requestId = response.headers.get('x-request-id');
  return { status: response.status, said, requestId, message: response.ok ? '' : JSON.parse(said).error.message };
}

const creditsOf = async (account: OpenedAccount) => (await account.dashboard.call(getAiCredits)).body.data;

/** The credits once all calls are settled. */
const settled = (account: OpenedAccount, calls: number) =>
  waitFor(async () => {
    const found = await creditsOf(account);
    const done = found.entries.filter(({ type }) => type === 'CALL').length === calls;
    return done && found.availableMicroRand === found.balanceMicroRand && found;
  });

const last = { role: 'user', content: 'fault:greedy' };
const ask = (parts: unknown, more: object = {}, model = gpt) => ({
  model,
  messages: [{ role: 'user', content: parts }, last],
  ...more,
});
const picture = (image_url: unknown) => [{ type: 'image_url', image_url }];

describe.concurrent('the greediest provider', () => {
  test.each<[string, object]>([
    ['an ordinary call', ask('hello')],
    ['a stream', ask('hello', { stream: true, stream_options: { include_usage: true } })],
    ['two output limits', ask('hello', { max_completion_tokens: 1, max_tokens: 120_000 })],
    ['128 answers', ask('hello', { n: 128, max_tokens: 5_000 })],
    ['a picture', ask(picture({ url: PNG, detail: 'high' }))],
    ['pictures by address', ask([...picture({ url: 'https://example.com/a.png' }), { type: 'text', text: 'x' }])],
    ['a long prompt', ask('word '.repeat(10_000))],
    [
      'tools, a schema, names and stop sequences',
      ask('hello', {
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', n: 9 } } }],
        response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' } } },
        stop: ['END'],
        logit_bias: { 5: -100 },
        metadata: { a: 'b' },
        user: 'u',
        seed: 1,
        temperature: 1,
        top_p: 1,
      }),
    ],
    [
      'another format',
      ask('hello', { max_tokens: 1, max_completion_tokens: 300_000, service_tier: 'priority' }, claude),
    ],
    ['another format with a picture', ask(picture({ url: PNG }), { n: 128 }, claude)],
  ])('is covered on %s: the account owes nothing, with any balance', async (_what, body) => {
    const account = await newAccount({ aiCreditsMicroRand: 6 * MICRO_RAND });
    const { status, message } = await complete(account, body);
    expect([status, message]).toEqual([200, '']);
    const { balanceMicroRand, debtMicroRand, entries } = await settled(account, 1);
    expect(balanceMicroRand).toBeGreaterThanOrEqual(0);
    expect(debtMicroRand).toBe(0);
    expect(entries[0]?.amountMicroRand).toBeLessThan(0);
  });

  test('receives no request that cannot be priced: 400 names the field and the remedy, and nothing is charged', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 6 * MICRO_RAND });
    const refused: [string, object][] = [
      ['service_tier', ask('x', { service_tier: 'priority' })],
      ['web_search_options', ask('x', { web_search_options: {} })],
      ['prediction', ask('x', { prediction: { type: 'content', content: 'y' } })],
      ['tools.0.type', ask('x', { tools: [{ type: 'web_search' }] })],
      ['modalities.0', ask('x', { modalities: ['audio'] })],
      ['extra_body', ask('x', { extra_body: { google: { cached_content: 'c' } } })],
      ['messages.0.content.0.type', ask([{ type: 'file', file: { file_id: 'f' } }])],
      ['messages.0.content.0.type', ask([{ type: 'document_url', document_url: 'https://example.com/a.pdf' }])],
      ['messages.0.content.0.type', ask([{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }])],
      ['messages.0.content.0.image_url', ask([{ type: 'text', text: 'x', image_url: { url: { length: 1e9 } } }])],
      ['messages.0.content.0.image_url.detail', ask(picture({ url: PNG, detail: 'original' }))],
      ['messages.0.content.0.cache_control', ask([{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }])],
    ];
    const answers = await Promise.all(refused.map(([, body]) => complete(account, body)));
    for (const [index, { status, message }] of answers.entries()) {
      expect([status, message]).toEqual([400, expect.stringContaining(`${refused[index]?.[0]}: `)]);
      expect(message).toMatch(/save your own OpenAI key in the dashboard/);
    }
    expect(await creditsOf(account)).toMatchObject({ balanceMicroRand: 6 * MICRO_RAND, available: '6.00' });
  });

  test('rejects a wrong type anywhere with 400, naming the field', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 6 * MICRO_RAND });
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const wrong: [string, object | string][] = [
      ['messages.0.content.0.image_url', ask([{ type: 'text', text: 'x', image_url: {} }])],
      ['messages.0.content.0.image_url.url', ask(picture({ url: { length: 1e9 } }))],
      ['messages.0.content.0.image_url.url', ask(picture(null))],
      ['messages.0.content.0.image_url.url', ask(picture(5))],
      ['temperature', ask('x', { temperature: 'hot' })],
      ['stream_options.include_usage', ask('x', { stream_options: { include_usage: {} } }, claude)],
      ['tools', ask('x', { tools: 5 })],
      ['tools.0.function.name', ask('x', { tools: [{ type: 'function', function: { name: [] } }] })],
      ['response_format', ask('x', { response_format: 'json' })],
      ['logit_bias.a', ask('x', { logit_bias: { a: {} } })],
      ['stream_options', ask('x', { stream_options: [] })],
      ['metadata', JSON.stringify(ask('x')).replace('{', '{"metadata":[],')],
      ['stream_options', JSON.stringify(ask('x', { stream: true })).replace('{', `{"stream_options":${deep},`)],
      [
        'response_format.json_schema.schema',
        JSON.stringify(ask('x')).replace(
          '{',
          `{"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${deep}}},`,
        ),
      ],
    ];
    const answers = await Promise.all(wrong.map(([, body]) => complete(account, body)));
    expect(answers.map(({ status, message }) => [status, message.split(':')[0]])).toEqual(
      wrong.map(([field]) => [400, field]),
    );
  });

  test('is not sent what no provider knows, however it is written', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 6 * MICRO_RAND });
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    for (const more of [
      '"my_own":{"n":128}',
      `"my_own":${deep}`,
      `"my_own":${deep},"n":1,"n":1`,
      '"__proto__":{"n":128}',
    ]) {
      const { status, message } = await complete(account, JSON.stringify(ask('x')).replace('{', `{${more},`));
      expect([more.slice(0, 20), status, message]).toEqual([more.slice(0, 20), 200, '']);
    }
    expect((await settled(account, 4)).debtMicroRand).toBe(0);
  });

  test('with a saved key, everything passes as before', async () => {
    const account = await newAccount();
    await account.dashboard.call(putProviderKey, { params: { id: 'openai' }, body: { key: 'sk-mine-0123456789' } });
    for (const more of [{ service_tier: 'priority' }, { web_search_options: {} }, { anything: { at: ['all'] } }]) {
      expect(await complete(account, ask('x', more))).toMatchObject({ status: 200 });
    }
    const parts = [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }];
    expect(await complete(account, ask(parts, { max_tokens: 1, max_completion_tokens: 2 }))).toMatchObject({
      status: 200,
    });
  });
});

describe.concurrent('a provider that counts more than the hold', () => {
  test('leaves a debt: no further call starts on credits until a purchase has paid it', async () => {
    const account = await newAccount({ aiCreditsMicroRand: MICRO_RAND, walletCents: 5_000 });
    const call = (content: string) => complete(account, { model: gpt, messages: [{ role: 'user', content }] });
    const buy = async (amount: string) => (await account.dashboard.call(buyAiCredits, { body: { amount } })).body.data;
    // R2.70 for a million tokens of the prompt.
    expect(await call('fault:overcount=5000000')).toMatchObject({ status: 200 });
    const owing = await settled(account, 1);
    expect(owing).toMatchObject({ balance: '0.00', debt: '12.51' });
    expect(await call('hello')).toMatchObject({ status: 402, message: expect.stringContaining('R12.51 more than') });

    const part = await buy('10.00');
    expect(part).toMatchObject({ balance: '0.00', available: '0.00', debt: '2.51' });
    expect(part.entries.slice(0, 2).map(({ type, amountMicroRand }) => [type, amountMicroRand])).toEqual([
      ['ADJUSTMENT', -10 * MICRO_RAND],
      ['PURCHASE', 10 * MICRO_RAND],
    ]);
    expect(await call('hello')).toMatchObject({ status: 402 });

    expect(await buy('20.00')).toMatchObject({ balance: '17.49', debt: '0.00' });
    expect(await call('hello')).toMatchObject({ status: 200 });
    const { entries, balanceMicroRand, debtMicroRand } = await settled(account, 2);
    expect(debtMicroRand).toBe(0);
    expect(entries.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0)).toBe(balanceMicroRand);
  });
});

describe.concurrent('errors of a provider', () => {
  test('under the platform’s key are quoted only if they are about the request; under a saved key all are quoted', async () => {
    const [ours, own] = await Promise.all([newAccount({ aiCreditsMicroRand: 6 * MICRO_RAND }), newAccount()]);
    await own.dashboard.call(putProviderKey, { params: { id: 'openai' }, body: { key: 'sk-mine-0123456789' } });
    const words = { 400: /temperature/, 404: /you do not have access/, 429: /Rate limit reached/, 500: /had an error/ };
    for (const [fault, said] of Object.entries(words)) {
      const body = { model: gpt, messages: [{ role: 'user', content: `fault:${fault}` }] };
      const [generic, quoted] = await Promise.all([complete(ours, body), complete(own, body)]);
      // A request that is refused is the caller's to correct.
      if (Number(fault) < 429) expect(generic.message).toMatch(said);
      else expect(generic.message).not.toMatch(said);
      expect(generic.message).toContain(`Request id: ${generic.requestId}`);
      expect(quoted.message).toMatch(said);
      expect(generic.status).toBe(quoted.status);
    }
    const stream = { model: gpt, stream: true, messages: [{ role: 'user', content: 'fault:error-mid hello' }] };
    expect((await complete(ours, stream)).said).not.toContain('The server had an error');
    expect((await complete(own, stream)).said).toContain('The server had an error');
  });
});
