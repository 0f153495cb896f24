import { randomUUID } from 'node:crypto';

/**
 * Fills in the members that every completion and every chunk has, whatever the provider leaves out: clients read them without asking,
 * and the format is the same for all providers (specification, AI gateway). What the provider said stays as it came.
 */
type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => typeof value === 'number';

/** Returns an id for a completion or a stream that its provider gave none. */
export const newCompletionId = (): string => `chatcmpl-${randomUUID().replaceAll('-', '')}`;

const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

/** Returns the wanted members that a document lacks. */
function lacking(document: Members, wanted: Members): Members {
  const has = (key: string) => (key === 'created' ? isCount(document[key]) : isText(document[key]));
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => !has(key)));
}

/** Returns a usage with the sum that some providers leave to the reader. */
export function withTotal(usage: unknown): unknown {
  if (!isObject(usage)) return usage;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (isCount(total) || !isCount(prompt) || !isCount(completion)) return usage;
  return { ...usage, total_tokens: prompt + completion };
}

/** Numbers choices that have no number. */
const numbered = (choices: readonly unknown[]): unknown[] =>
  choices.map((choice, index) => (isObject(choice) && !isCount(choice.index) ? { index, ...choice } : choice));

function completeChoice(choice: unknown): unknown {
  if (!isObject(choice) || !isObject(choice.message)) return choice;
  const { message, finish_reason: reason } = choice;
  const role = isText(message.role) ? {} : { role: 'assistant' };
  const content = 'content' in message ? {} : { content: null };
  const finish_reason = isText(reason) ? reason : message.tool_calls ? 'tool_calls' : 'stop';
  if (isText(message.role) && 'content' in message && isText(reason)) return choice;
  return { ...choice, message: { ...message, ...role, ...content }, finish_reason };
}

/** Returns the members that are to be set in a completion, beside its model. */
export function completionGaps(document: Members): Members {
  const wanted = { id: newCompletionId(), object: 'chat.completion', created: nowInSeconds() };
  const gaps = lacking(document, wanted);
  const { choices, usage } = document;
  if (Array.isArray(choices)) {
    const complete = numbered(choices).map(completeChoice);
    if (complete.some((choice, at) => choice !== choices[at])) gaps.choices = complete;
  }
  const whole = withTotal(usage);
  return whole === usage ? gaps : { ...gaps, usage: whole };
}

/** Returns the members that are to be set in a chunk of a stream; none for a provider that keeps to the format. */
export function chunkGaps(document: Members, stream: { id: string; model: string }): Members {
  const wanted = { ...stream, object: 'chat.completion.chunk', created: nowInSeconds() };
  const gaps = lacking(document, wanted);
  const choices: unknown[] = Array.isArray(document.choices) ? document.choices : [];
  const isNumbered = choices.every((choice) => !isObject(choice) || isCount(choice.index));
  return isNumbered ? gaps : { ...gaps, choices: numbered(choices) };
}
