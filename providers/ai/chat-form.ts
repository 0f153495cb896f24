import { randomUUID } from 'node:crypto';
import { isObject } from '../../contract/json.ts';

/**
 * Fills in the members that every completion and every chunk has, whatever the provider leaves out: clients read them without asking,
 * and the format is the same for all providers (specification, AI gateway). What the provider said stays as it came.
 */
type Members = Record<string, unknown>;

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

/**
 * Returns a usage whose total is the other two together. Some providers leave the sum to the reader; xAI and Google count thinking in the
 * total alone, and it is output, which is charged.
 */
export function completeUsage(usage: unknown): unknown {
  if (!isObject(usage)) return usage;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  if (!isCount(prompt) || !isCount(completion)) return usage;
  const output = isCount(total) ? Math.max(completion, total - prompt) : completion;
  return changed(usage, { completion_tokens: output, total_tokens: prompt + output });
}

/** Converts the entries of a list. Returns the list itself where none changed, and what is no list. */
export function convertEach(list: unknown, convert: (entry: unknown, at: number) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  const converted = list.map(convert);
  return converted.some((entry, at) => entry !== list[at]) ? converted : list;
}

/** Returns an object with the members that differ from its own; the object itself where none does. */
const changed = (object: Members, members: Members): Members =>
  Object.entries(members).some(([key, value]) => object[key] !== value) ? { ...object, ...members } : object;

const numbered = (choice: Members, at: number): Members => (isCount(choice.index) ? {} : { index: at });

/** Gives the beginning of a call of a function its type, which Mistral leaves out. */
function typed(call: Members): Members {
  if (!isObject(call.function) || isText(call.type)) return call;
  return isText(call.id) || isText(call.function.name) ? { ...call, type: 'function' } : call;
}

const partsOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isObject) : []);
const joined = (parts: readonly Members[]): string =>
  parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');

/** Returns text and thinking that come as parts (Mistral) as the two texts that clients know; what comes as a text stays. */
function flattened(said: Members): Members {
  if (!Array.isArray(said.content)) return said;
  const parts = partsOf(said.content);
  const thinking = joined(parts.flatMap((part) => partsOf(part.thinking)));
  return { ...said, content: joined(parts), ...(thinking === '' ? {} : { reasoning_content: thinking }) };
}

function completeChoice(choice: unknown, at: number): unknown {
  if (!isObject(choice)) return choice;
  if (!isObject(choice.message)) return changed(choice, numbered(choice, at));
  const { message, finish_reason: reason } = choice;
  const role = isText(message.role) ? {} : { role: 'assistant' };
  const content = 'content' in message ? {} : { content: null };
  const finish_reason = isText(reason) ? reason : message.tool_calls ? 'tool_calls' : 'stop';
  const tool_calls = convertEach(message.tool_calls, (call) => (isObject(call) ? typed(call) : call));
  const complete = changed(flattened(message), { ...role, ...content, ...(tool_calls ? { tool_calls } : {}) });
  return changed(choice, { ...numbered(choice, at), message: complete, finish_reason });
}

/** Returns the members that are to be set in a completion, beside its model. */
export function completionGaps(document: Members): Members {
  const wanted = { id: newCompletionId(), object: 'chat.completion', created: nowInSeconds() };
  const choices = convertEach(document.choices, completeChoice);
  const usage = completeUsage(document.usage);
  return {
    ...lacking(document, wanted),
    ...(choices === document.choices ? {} : { choices }),
    ...(usage === document.usage ? {} : { usage }),
  };
}

/**
 * Numbers the tool calls of one choice of a stream. Google gives them no `index`, sends those at once in a chunk each, and may
 * send the arguments of one in several.
 */
class CallNumbers {
  /** True if calls came without numbers. */
  wereMissing = false;
  #next = 0;
  #id: unknown;

  of({ index, id, function: called }: Members): number {
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

/** The form of one stream: completes its chunks. */
export class ChunkForm {
  readonly #stream: { id: string; model: string };
  /** By the number of the choice. */
  readonly #calls = new Map<number, CallNumbers>();

  constructor(stream: { id: string; model: string }) {
    this.#stream = stream;
  }

  /** Returns the members that are to be set in the next chunk; none for a provider that keeps to the format. */
  gapsOf(document: Members): Members {
    const wanted = { ...this.#stream, object: 'chat.completion.chunk', created: nowInSeconds() };
    const choices = convertEach(document.choices, (choice, at) => this.#complete(choice, at));
    return { ...lacking(document, wanted), ...(choices === document.choices ? {} : { choices }) };
  }

  #complete(choice: unknown, at: number): unknown {
    if (!isObject(choice)) return choice;
    const index = isCount(choice.index) ? choice.index : at;
    const delta = isObject(choice.delta) ? { delta: this.#completeDelta(flattened(choice.delta), index) } : {};
    // Google says "stop" all the same. Others do so for a function that the caller forced, as the format has it.
    const isWrong = choice.finish_reason === 'stop' && this.#calls.get(index)?.wereMissing === true;
    const finish = isWrong ? { finish_reason: 'tool_calls' } : {};
    return changed(choice, { index, ...delta, ...finish });
  }

  #completeDelta(delta: Members, choice: number): Members {
    const { tool_calls: calls } = delta;
    if (!Array.isArray(calls) || calls.length === 0) return delta;
    const numbers = this.#calls.get(choice) ?? new CallNumbers();
    this.#calls.set(choice, numbers);
    const complete = (call: unknown) => (isObject(call) ? changed(typed(call), { index: numbers.of(call) }) : call);
    return changed(delta, { tool_calls: convertEach(calls, complete) });
  }
}
