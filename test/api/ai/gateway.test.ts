import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { ChatCompletion } from '../../../contract/ai/chat.ts';
import { listModels } from '../../../contract/ai/gateway.ts';
import { deleteProviderKey, putProviderKey } from '../../../contract/ai/management.ts';
import { closeWindowsOf } from '../../../domain/ai/closing.ts';
import { hold } from '../../../domain/ai/credits.ts';
import { ledgerQueue, readCredits } from '../../../domain/ai/ledger.ts';
import { currentOffer, setOffer } from '../../../domain/ai/models.ts';
import { sweep } from '../../../domain/sweep/sweep.ts';
import { clientOf, local, newAccount, platformDeps, raw, waitFor } from '../../support/harness.ts';

const { baseUrl } = local;
const { demo, other } = local.accounts;
const sdk = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${baseUrl}/ai/v1`, maxRetries: 0 });
const HIGH_BALANCE = { aiCreditsMicroRand: 100_000_000 };
const gpt = 'openai/gpt-4o-mini';
const claude = 'anthropic/claude-sonnet-4-5';
const say = (text: string) => [{ role: 'user' as const, content: `say exactly: ${text}` }];
const PNG = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a0000000d', 'hex').toString('base64')}`;

async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Reads an account's credits from the table with the platform's own code. */
async function credits(accountId: string) {
  const deps = await platformDeps();
  return (await readCredits(deps, { accountId }, { limit: 100, offset: 0 })).data;
}
const settled = (accountId: string, calls: number) =>
  waitFor(async () => {
    const found = await credits(accountId);
    const done = found.entries.filter(({ type }) => type === 'CALL').length;
    return done === calls && found.availableMicroRand === found.balanceMicroRand && found;
  });

describe('models', () => {
  test('public and secret keys read the models on sale and the providers that accept saved keys', async () => {
    for (const client of [clientOf({ publicKey: demo.publicKey }), clientOf({ secretKey: demo.keys.read })]) {
      const { status, body } = await client.call(listModels);
      expect(status).toBe(200);
      expect(body.data.find(({ id }) => id === gpt)).toMatchObject({
        object: 'model',
        owned_by: 'openai',
        credits: true,
        pricing_zar_per_million: { input: '2.70', output: '10.80' },
      });
      expect(body.data.find(({ id }) => id === 'xai/grok-4.3')).toMatchObject({
        pricing_zar_per_million: { input: '22.50', output: '45.00' },
        pricing_steps: [{ above_prompt_tokens: 199_999, input: '45.00', output: '90.00' }],
      });
      // Specification, AI gateway: the list has the models that are available on credits, with their prices.
      const unsold = body.data.filter(({ credits, pricing_zar_per_million: { input, output } }) => {
        return !credits || !(Number(input) > 0) || !(Number(output) > 0);
      });
      expect(unsold).toEqual([]);
      expect(body.byok_providers.map(({ id }) => id)).toEqual(
        'openai anthropic google mistral groq deepseek xai openrouter together'.split(' '),
      );
    }
  });

  test('operators change the models without a deployment', async () => {
    const deps = await platformDeps();
    const offer = currentOffer(deps, 18);
    expect((await offer()).randPerDollar).toBe(18);
    await setOffer(deps, { randPerDollar: 18.0001 });
    expect((await currentOffer(deps, 18)()).randPerDollar).toBe(18.0001);
    await setOffer(deps, {});
    expect((await currentOffer(deps, 18)()).randPerDollar).toBe(18);
  });
});

describe.each([gpt, claude])('the official SDK and %s', (model) => {
  test('lists models, completes, streams with usage, and sends an image', async () => {
    const account = await newAccount(HIGH_BALANCE);
    const client = sdk(account.secretKey);
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toContain(model);

    const whole = await client.chat.completions.create({ model, messages: say('hello there') });
    ChatCompletion().parse(whole);
    expect(whole.choices[0]?.message.content).toBe('hello there');
    expect(whole).toMatchObject({ model, object: 'chat.completion' });

    const stream = await client.chat.completions.create({ model, messages: say('one two three'), stream: true });
    const chunks = await listOf(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('one two three');
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(3);
    expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set([model]));

    const content = [
      { type: 'text' as const, text: 'say exactly: a picture' },
      { type: 'image_url' as const, image_url: { url: PNG } },
    ];
    const seen = await client.chat.completions.create({ model, messages: [{ role: 'user', content }] });
    expect(seen.usage?.prompt_tokens).toBeGreaterThan(700);

    const { entries, balanceMicroRand } = await settled(account.id, 3);
    expect(entries.map(({ type }) => type)).toEqual(['CALL', 'CALL', 'CALL', 'ADJUSTMENT']);
    expect(entries.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0)).toBe(balanceMicroRand);
    expect(entries[0]).toMatchObject({ model, inputTokens: seen.usage?.prompt_tokens, cachedTokens: 0 });
  });

  test('charges an aborted stream for the tokens received', async () => {
    const account = await newAccount(HIGH_BALANCE);
    const text = 'word '.repeat(2000);
    const stream = await sdk(account.secretKey).chat.completions.create({ model, messages: say(text), stream: true });
    let seen = 0;
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content && ++seen === 5) break;
    }
    const { entries } = await settled(account.id, 1);
    expect(entries[0]?.outputTokens).toBeGreaterThan(0);
    expect(entries[0]?.outputTokens).toBeLessThan(500);
  });

  test('raises its error classes', async () => {
    const rich = await newAccount(HIGH_BALANCE);
    const none = await newAccount({ scopes: ['read'] });
    const ask = (key: string, content: string, name = model) =>
      sdk(key)
        .chat.completions.create({ model: name, messages: [{ role: 'user', content }] })
        .catch((error: unknown) => error);
    const cases: [unknown, { new (...all: never[]): Error }, number, string][] = [
      [await ask(rich.secretKey, 'x', 'openai/nothing'), OpenAI.BadRequestError, 400, 'invalid_request'],
      [await ask('sk_live_wrong', 'x'), OpenAI.AuthenticationError, 401, 'unauthorized'],
      [await ask(other.secretKey, 'x'), OpenAI.APIError, 402, 'insufficient_credits'],
      [await ask(none.secretKey, 'x'), OpenAI.PermissionDeniedError, 403, 'insufficient_scope'],
      [await ask(rich.secretKey, 'fault:429=3'), OpenAI.RateLimitError, 429, 'rate_limited'],
      [await ask(rich.secretKey, 'fault:500'), OpenAI.InternalServerError, 502, 'server_error'],
    ];
    for (const [error, kind, status, code] of cases) {
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ status, error: { code, status, message: expect.any(String) } });
    }
    expect((await credits(rich.id)).balanceMicroRand).toBe(HIGH_BALANCE.aiCreditsMicroRand);
  });
});

describe('errors', () => {
  const post = (key: string, body: string, headers = {}) =>
    raw('/ai/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body });

  test('have the standard shape and all headers', async () => {
    const account = await newAccount(HIGH_BALANCE);
    const cases: [Response, number, string, RegExp][] = [
      [await post(account.secretKey, '{'), 400, 'invalid_request', /^body: must be JSON/],
      [await post(account.secretKey, ''), 400, 'invalid_request', /^model: is required/],
      [
        await post(account.secretKey, JSON.stringify({ model: gpt, messages: [] })),
        400,
        'invalid_request',
        /^messages: /,
      ],
      [
        await post(account.secretKey, JSON.stringify({ model: gpt, messages: say('x'), max_tokens: 0 })),
        400,
        'invalid_request',
        /^max_tokens: /,
      ],
      [
        await post(account.secretKey, JSON.stringify({ model: gpt, messages: say('x'.repeat(6 * 1024 * 1024)) })),
        400,
        'invalid_request',
        /^body: must be at most 6 MiB/,
      ],
      [await post(demo.keys.revoked, '{}'), 401, 'unauthorized', /revoked/],
      [
        await raw('/ai/v1/chat/completions', { method: 'POST', headers: { 'x-public-key': account.publicKey } }),
        403,
        'forbidden',
        /public key/,
      ],
      [
        await raw('/ai/v1/chat/completions', { headers: { authorization: `Bearer ${account.secretKey}` } }),
        404,
        'not_found',
        /There is no GET/,
      ],
      [
        await raw('/ai/v1/responses', { method: 'POST', headers: { authorization: `Bearer ${account.secretKey}` } }),
        404,
        'not_found',
        /There is no POST \/ai\/v1\/responses\. The AI gateway has chat completions/,
      ],
    ];
    for (const [answer, status, code, message] of cases) {
      const body = await answer.json();
      expect([answer.status, body]).toEqual([
        status,
        { error: { message: expect.stringMatching(message), code, status } },
      ]);
      expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });

  test('of 125 concurrent calls with one key 120 succeed', async () => {
    const account = await newAccount();
    const answers = await Promise.all(Array.from({ length: 125 }, () => post(account.secretKey, '{}')));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(120);
    expect(
      answers.filter(({ status, headers }) => status === 429 && Number(headers.get('retry-after')) > 0),
    ).toHaveLength(5);
  });
});

describe('saved provider keys', () => {
  test('are used always and only for their provider, without credits, until replaced or deleted', async () => {
    const account = await newAccount();
    const save = (key: string) => account.dashboard.call(putProviderKey, { params: { id: 'openai' }, body: { key } });
    const client = sdk(account.secretKey);
    const ask = (model: string) =>
      client.chat.completions.create({ model, messages: say('mine') }).then(
        ({ choices }) => choices[0]?.message.content,
        (error: { status: number; error: { message: string } }) => `${error.status} ${error.error.message}`,
      );
    const model = 'openai/a-model-of-my-own';
    expect(await ask(model)).toMatch(/^400 model: .* not sold on credits/);
    await save('sk-mine-0123456789');
    expect(await ask(model)).toBe('mine');
    expect(await ask(gpt)).toBe('mine');
    expect(await ask(claude)).toMatch(/^402/);
    await save('sk-wrong-0123456789');
    const changed = Date.now();
    let lastAnsweredAt = changed;
    const refused = await waitFor(async () => {
      const askedAt = Date.now();
      const said = await ask(gpt);
      if (said === 'mine') lastAnsweredAt = askedAt;
      return said !== 'mine' && said;
    }, 500);
    // Of the calls that began later none was answered, however long they took.
    expect(lastAnsweredAt - changed).toBeLessThan(15_500);
    expect(refused).toMatch(/^400 OpenAI refused your saved key/);
    expect(refused).not.toContain('sk-wrong');

    await account.dashboard.call(deleteProviderKey, { params: { id: 'openai' } });
    await waitFor(async () => /^402/.test((await ask(gpt)) ?? ''), 500);
    expect((await credits(account.id)).entries).toEqual([]);
  });
});

describe('credits', () => {
  test('100 concurrent calls on R1.00 never overdraw the balance, all get a response, and the ledger adds up', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 1_000_000 });
    const client = sdk(account.secretKey);
    const statuses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        client.chat.completions
          .create({ model: index % 2 ? claude : 'openai/gpt-4o', messages: say('word '.repeat(200)) })
          .then(
            () => 200,
            ({ status }: { status: number }) => status,
          ),
      ),
    );
    const counted = Object.entries(Object.groupBy(statuses, String)).map(
      ([status, all]) => `${all?.length} × ${status}`,
    );
    console.log(`100 calls on R1.00: ${counted.join(', ')}`);
    expect(statuses.filter((status) => ![200, 402, 429].includes(status))).toEqual([]);
    const answered = statuses.filter((status) => status === 200).length;
    expect(answered).toBeGreaterThan(0);
    const { balanceMicroRand, entries } = await settled(account.id, answered);
    expect(balanceMicroRand).toBeGreaterThanOrEqual(0);
    expect(entries.reduce((sum, { amountMicroRand }) => sum + amountMicroRand, 0)).toBe(balanceMicroRand);
  });

  test('releases the hold of a crashed call and verifies the ledger', async () => {
    const account = await newAccount(HIGH_BALANCE);
    const deps = await platformDeps();
    await hold(deps, { accountId: account.id, keyId: 'key_1' }, 'openai', 40_000_000);
    expect((await credits(account.id)).available).toBe('60.00');
    const later = { ...deps, now: () => new Date(Date.now() + 25 * 60_000) };
    expect(await closeWindowsOf(later, account.id)).toMatchObject({ calls: 1, heldMicroRand: 40_000_000 });
    expect((await credits(account.id)).available).toBe('100.00');
    const { results } = await sweep(later, ledgerQueue);
    const isOurs = (check: (typeof results)[number]) => typeof check === 'object' && check.accountId === account.id;
    expect(results.filter(isOurs)).toEqual([]);
  });
});
