import { randomUUID } from 'node:crypto';
import { isObject } from '../../contract/json.ts';
import { standardReason } from './finish-reasons.ts';

/**
 * Fills in the members that every completion and every chunk must have, because clients read them without checking and the format is
 * the same for all providers (specification, AI gateway). Members that the provider sent stay unchanged.
 */
type Members = Record<string, unknown>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isCount = (value: unknown): value is number => typeof value === 'number';

/** Returns an id for a completion or a stream to which its provider gave none. */
export const newCompletionId = (): string => `chatcmpl-${randomUUID().replaceAll('-', '')}`;

const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

/** Returns the required members that a document lacks, or whose value the format does not allow. */
function missingMembers(document: Members, required: Members): Members {
  const has = (key: string) => {
    if (key === 'object') return document.object === required.object;
    return key === 'created' ? isCount(document.created) : isText(document[key]);
  };
  return Object.fromEntries(Object.entries(required).filter(([key]) => !has(key)));
}

/**
 * Returns a usage whose total is the sum of prompt and completion. Some providers omit the total. xAI and Google count thinking only in the
 * total, but thinking is output and is charged as such.
 */
export function completeUsage(usage: unknown): unknown {
  if (!isObject(usage)) return usage;
  const { prompt_tokens: prompt, completion_tokens: reported, total_tokens: total } = usage;
  const completion = isCount(reported) || !isCount(total) ? reported : 0;
  if (!isCount(prompt) || !isCount(completion)) return usage;
  const output = isCount(total) ? Math.max(completion, total - prompt) : completion;
  return withMembers(usage, { completion_tokens: output, total_tokens: prompt + output });
}

/** Converts the entries of a list. Returns the value itself if no entry changed or if it is not a list. */
export function convertEach(list: unknown, convert: (entry: unknown, index: number) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  const converted = list.map(convert);
  return converted.some((entry, index) => entry !== list[index]) ? converted : list;
}

/** Returns the object with these members; the object itself if it already has them all. */
const withMembers = (object: Members, members: Members): Members =>
  Object.entries(members).some(([key, value]) => object[key] !== value) ? { ...object, ...members } : object;

/** Returns the index of a choice as a member to add; empty if the choice has one. */
const missingIndex = (choice: Members, index: number): Members => (isCount(choice.index) ? {} : { index });

/** Adds the type to the first piece of a function call. Mistral omits it. */
function withType(call: Members): Members {
  if (!isObject(call.function) || isText(call.type)) return call;
  return isText(call.id) || isText(call.function.name) ? { ...call, type: 'function' } : call;
}

const partsOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isObject) : []);
const joinTexts = (parts: readonly Members[]): string =>
  parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');

/** Joins a content in parts (Mistral) into the two texts that clients know: content and reasoning. A content that is a text stays. */
function flattenContent(message: Members): Members {
  if (!Array.isArray(message.content)) return message;
  const parts = partsOf(message.content);
  const thinking = joinTexts(parts.flatMap((part) => partsOf(part.thinking)));
  return { ...message, content: joinTexts(parts), ...(thinking === '' ? {} : { reasoning_content: thinking }) };
}

/** Returns true for a choice of a completion. If Google blocks an answer, its choice has a finish reason and no message. */
export const isChoice = (choice: unknown): boolean =>
  isObject(choice) && (isObject(choice.message) || (!choice.message && isText(choice.finish_reason)));

function completeChoice(choice: unknown, index: number): unknown {
  if (!isObject(choice)) return choice;
  const message = isObject(choice.message) ? choice.message : {};
  const { finish_reason: reason } = choice;
  const role = isText(message.role) ? {} : { role: 'assistant' };
  const content = 'content' in message ? {} : { content: null };
  const finish_reason = isText(reason) ? standardReason(reason) : message.tool_calls ? 'tool_calls' : 'stop';
  const tool_calls = convertEach(message.tool_calls, (call) => (isObject(call) ? withType(call) : call));
  const complete = withMembers(flattenContent(message), { ...role, ...content, ...(tool_calls ? { tool_calls } : {}) });
  return withMembers(choice, { ...missingIndex(choice, index), message: complete, finish_reason });
}

/** Returns the members to set in a completion in addition to its model. */
export function completionGaps(document: Members): Members {
  const required = { id: newCompletionId(), object: 'chat.completion', created: nowInSeconds() };
  const choices = convertEach(document.choices, completeChoice);
  const usage = completeUsage(document.usage);
  return {
    ...missingMembers(document, required),
    ...(choices === document.choices ? {} : { choices }),
    ...(usage === document.usage ? {} : { usage }),
  };
}

/**
 * Numbers the tool calls of one choice of a stream. Google sends no `index`, sends each of several parallel calls in its own chunk,
 * and may split the arguments of one call over several chunks.
 */
class ToolCallIndexes {
  /** True if calls came without an index. */
  wereMissing = false;
  #next = 0;
  #id: unknown;

  indexOf({ index, id, function: called }: Members): number {
    if (isCount(index)) {
      this.#next = index + 1;
      return index;
    }
    this.wereMissing = true;
    const begins = isText(id) ? id !== this.#id : isObject(called) && isText(called.name);
    if (begins || this.#next === 0) {
      this.#id = id;
      this.#next += 1;
    }
    return this.#next - 1;
  }
}

/** Completes the chunks of one stream. */
export class ChunkForm {
  readonly #stream: { id: string; model: string };
  /** By the index of the choice. */
  readonly #calls = new Map<number, ToolCallIndexes>();

  constructor(stream: { id: string; model: string }) {
    this.#stream = stream;
  }

  /** Returns the members to set in the next chunk; none for a provider that keeps to the format. */
  gapsOf(document: Members): Members {
    const required = { ...this.#stream, object: 'chat.completion.chunk', created: nowInSeconds() };
    const choices = convertEach(document.choices, (choice, index) => this.#completeChoice(choice, index));
    return { ...missingMembers(document, required), ...(choices === document.choices ? {} : { choices }) };
  }

  #completeChoice(choice: unknown, position: number): unknown {
    if (!isObject(choice)) return choice;
    const index = isCount(choice.index) ? choice.index : position;
    const delta = isObject(choice.delta) ? this.#completeDelta(flattenContent(choice.delta), index) : {};
    // Google reports "stop" even after tool calls. From other providers "stop" is right: the caller forced the function.
    const isWrong = choice.finish_reason === 'stop' && this.#calls.get(index)?.wereMissing === true;
    const reason = isWrong ? 'tool_calls' : choice.finish_reason;
    const finish_reason = isText(reason) ? standardReason(reason) : reason;
    return withMembers(choice, { index, delta, finish_reason });
  }

  #completeDelta(delta: Members, choice: number): Members {
    const { tool_calls: calls } = delta;
    if (!Array.isArray(calls) || calls.length === 0) return delta;
    const indexes = this.#calls.get(choice) ?? new ToolCallIndexes();
    this.#calls.set(choice, indexes);
    const complete = (call: unknown) =>
      isObject(call) ? withMembers(withType(call), { index: indexes.indexOf(call) }) : call;
    return withMembers(delta, { tool_calls: convertEach(calls, complete) });
  }
}
