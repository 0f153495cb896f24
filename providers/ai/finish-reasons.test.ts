import { expect, test } from 'vitest';
import { ChatRequest } from '../../contract/ai/chat.ts';
import { openAiCompatible } from './openai-compatible.ts';
import { PROVIDERS } from './registry.ts';

const ask = {
  provider: PROVIDERS.together,
  text: '',
  request: ChatRequest().parse({ model: 'together/m', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  upstream: 'm',
  outputLimit: undefined,
  modelLimit: undefined,
  estimate: (output: number) => ({ input: 1, cached: 0, cacheWrite: 0, output }),
};
const head = { id: '1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const frame = (choice: object) => `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }] })}\n\n`;

/** Reads an answer with a finish reason as a whole. @returns the finish reason that the caller receives */
function readWhole(finish_reason: string): string {
  const document = JSON.stringify({ choices: [{ index: 0, message: { content: 'a' }, finish_reason }] });
  return JSON.parse(openAiCompatible.answer(Buffer.from(document), ask).body.toString()).choices[0].finish_reason;
}

function readStream(finish_reason: string) {
  const translator = openAiCompatible.stream(ask);
  const stream = `${frame({ delta: { content: 'a' } })}${frame({ delta: {}, finish_reason })}data: [DONE]\n\n`;
  return { text: translator.push(Buffer.from(stream)).toString(), failure: translator.failure };
}

test.each([
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['model_length', 'length'],
  ['content_filter: RECITATION', 'content_filter'],
  ['function_call_filter: MALFORMED_FUNCTION_CALL', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['constructor', 'constructor'],
])('the finish reason %s of a provider is %s', (sent, received) => {
  expect(readWhole(sent)).toBe(received);
  const { text, failure } = readStream(sent);
  expect(failure).toBeUndefined();
  expect(text).toContain(`"finish_reason":"${received}"`);
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test.each([
  ['error', 'failed'],
  ['insufficient_system_resource', 'overloaded'],
])('an answer that a provider interrupts with the finish reason %s is a failure', (reason, kind) => {
  expect(() => readWhole(reason)).toThrow(expect.objectContaining({ kind }));
  const { text, failure } = readStream(reason);
  expect([text, failure]).toEqual([
    frame({ delta: { content: 'a' } }).replace('"m"', '"together/m"'),
    expect.objectContaining({ kind }),
  ]);
});
