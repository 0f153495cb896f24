import { describe, expect, test } from 'vitest';
import { call, MODELS, startProviders, upstream, user, type World } from '../../test/support/ai-calls.ts';

/** Tests of the request that a provider receives, and of the translation of its answer. */

startProviders();

describe('the upstream request', () => {
  const asked = async (body: object, world: World = {}) => {
    let seen: Record<string, unknown> = {};
    upstream.act = (response, given) => {
      seen = given;
      response.writeHead(500).end();
    };
    const { headers, apiError } = await call(body, { ...world, baseUrl: upstream.url });
    return { seen, headers, apiError };
  };

  test('pass-through under a saved key: unchanged except for the model and usage in the stream', async () => {
    const body = {
      model: 'openai/gpt-4o',
      messages: user('x'),
      seed: 7,
      tools: [{ type: 'function' }],
      stream: true,
      stream_options: { include_usage: false, other: 1 },
    };
    expect((await asked(body, { saved: true })).seen).toEqual({
      ...body,
      model: 'gpt-4o',
      stream_options: { include_usage: true, other: 1 },
    });
    const mistral = {
      model: 'mistral/mistral-small-2603',
      messages: user('x'),
      stream: true,
      stream_options: { include_usage: true },
    };
    const withoutOptions = { model: 'mistral-small-2603', messages: user('x'), stream: true };
    expect((await asked(mistral, { saved: true })).seen).toEqual(withoutOptions);
    expect((await asked(mistral)).seen).toEqual({ ...withoutOptions, max_tokens: 32_768 });
    expect((await asked({ model: 'openai/some/new-model', messages: user('x') }, { saved: true })).seen.model).toBe(
      'some/new-model',
    );
  });

  test('pass-through on credits: the ordinary fields, and one output limit', async () => {
    const body = {
      model: 'openai/gpt-4o',
      messages: user('x'),
      seed: 7,
      temperature: 0.5,
      top_p: 1,
      stop: ['a'],
      user: 'u',
      metadata: { a: 'b' },
      logit_bias: { 5: -100 },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      tool_choice: 'auto',
      response_format: { type: 'json_object' },
      stream: true,
      stream_options: { include_usage: false },
    };
    const given = { ...body, max_tokens: 5, max_completion_tokens: null, service_tier: null };
    expect((await asked(given)).seen).toEqual({
      ...body,
      model: 'gpt-4o',
      stream_options: { include_usage: true },
      max_completion_tokens: 5,
    });
  });

  test('pass-through on credits: an unknown field is removed and named', async () => {
    const body = { model: 'openai/gpt-4o', messages: user('x'), max_completion_tokens: 5 };
    const given = { ...body, my_own: { n: 9 }, hasOwnProperty: 1, seed: null, absent: null };
    expect((await asked(given)).seen).toEqual({ ...body, model: 'gpt-4o' });
    const { headers } = await call({ ...given, model: MODELS.openai });
    expect(headers['x-ignored-parameters']).toBe('my_own, hasOwnProperty');
  });

  test('Anthropic: system messages in order without blank ones, images and stop sequences translated', async () => {
    const { seen } = await asked({
      model: 'anthropic/claude-sonnet-4-5',
      messages: [
        { role: 'system', content: 'One.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: ' \n' },
            { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/4AAQ' } },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'system', content: '' },
        { role: 'assistant', content: '' },
        { role: 'assistant', content: '\n\t' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
        { role: 'user', content: 'Well?' },
      ],
      stop: ['END', '\n'],
      temperature: 0.5,
      top_p: 1,
      tools: [],
      user: null,
    });
    expect(seen).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 16_000,
      system: [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
      ],
      stop_sequences: ['END'],
    });
  });

  test('names the fields that are not translated', async () => {
    const { headers } = await call({
      model: MODELS.anthropic,
      messages: user('hi'),
      temperature: 1,
      tools: [],
      stop: ' ',
    });
    expect(headers['x-ignored-parameters']).toBe('temperature, tools, stop');
    expect(headers['x-upstream-latency-ms']).toMatch(/^\d+\.\d$/);
    expect(headers['x-gateway-overhead-ms']).toMatch(/^\d+\.\d$/);
  });

  test('names the untranslated fields inside messages, each once and after the fields of the request', async () => {
    const cached = { cache_control: { type: 'ephemeral' } };
    const content = [
      { type: 'text', text: 'hi', ...cached, annotations: null },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' }, text: 'a', ...cached },
      { type: 'text', text: ' ', ...cached },
    ];
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const messages = [
      { role: 'system', content: [{ type: 'text', text: 'One.', ...cached }], name: 'a' },
      { role: 'user', content, name: 'b' },
      { role: 'assistant', content: null, tool_calls, refusal: null },
      { role: 'assistant', content: 'Let me look.', tool_calls },
      ...user('Well?'),
    ];
    const named = async (body: object) =>
      (await call({ model: MODELS.anthropic, ...body })).headers['x-ignored-parameters'];
    expect((await named({ messages, temperature: 1 }))?.split(', ')).toEqual([
      'temperature',
      'messages.name',
      'messages.content.cache_control',
      'messages.content.text',
      'messages.content.image_url.detail',
      'messages.tool_calls',
    ]);
    expect(await named({ messages: user('hi') })).toBeUndefined();
    const own = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`own_${index}`, 'x']));
    expect((await named({ messages: [{ ...user('hi')[0], ...own }] }))?.split(', ')).toHaveLength(50);
  });

  test('ignores untranslated fields, whatever their value', async () => {
    const fields = { temperature: 5, top_p: 'all', tools: 'none', response_format: 7, seed: 'x', logit_bias: [] };
    const { apiError, headers } = await call({ model: MODELS.anthropic, messages: user('hi'), ...fields });
    expect([apiError, headers['x-ignored-parameters']]).toEqual([undefined, Object.keys(fields).join(', ')]);
  });

  test('rejects tool messages where they are not translated', async () => {
    const messages = [...user('x'), { role: 'tool', content: 'y', tool_call_id: '1' }];
    expect((await asked({ model: MODELS.anthropic, messages })).apiError).toMatchObject({
      status: 400,
      message: expect.stringContaining('messages.1.role'),
    });
    expect((await asked({ model: MODELS.openai, messages })).seen.messages).toEqual(messages);
  });

  test.each([
    ['refusal', 'content_filter'],
    ['tool_use', 'tool_calls'],
    ['pause_turn', 'stop'],
    ['model_context_window_exceeded', 'length'],
  ])('maps the stop reason %s to %s', async (stop, finish) => {
    upstream.act = (response) =>
      void response.end(
        JSON.stringify({ id: 'm', content: [], stop_reason: stop, usage: { input_tokens: 1, output_tokens: 1 } }),
      );
    const { said } = await call({ model: MODELS.anthropic, messages: user('x') }, { baseUrl: upstream.url });
    expect(JSON.parse(said).choices[0].finish_reason).toBe(finish);
  });
});
