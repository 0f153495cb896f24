import { isAddedByClients, isCopiedToPart, isLeftOut } from '../../contract/ai/credit-fields.ts';
import { isObject } from '../../contract/json.ts';
import type { AdapterRequest, Prepared } from './adapter.ts';
import { convertEach } from './chat-form.ts';
import { isAmbiguous, setMembers } from './json-splice.ts';

/**
 * The body that is sent under the platform's own key: it says nothing but what was checked, with one output limit. A text in
 * which another parser could read something else is written again.
 */
function writeBody(
  { request, provider, upstream, outputLimit, text }: AdapterRequest,
  changes: Record<string, unknown>,
): string {
  const isSent = ([field, value]: [string, unknown]) => value !== null && !isLeftOut(field);
  const absent = Object.entries(request).filter((entry) => !isSent(entry));
  const rewritten = () => JSON.stringify({ ...Object.fromEntries(Object.entries(request).filter(isSent)), ...changes });
  const values = {
    ...Object.fromEntries(absent.map(([field]) => [field, undefined])),
    max_tokens: undefined,
    max_completion_tokens: undefined,
    model: upstream,
    ...changes,
    [provider.limitField]: outputLimit,
  };
  return setMembers(isAmbiguous(text) ? rewritten() : text, values);
}

/** Members of answers that a conversation does without: providers that do not know them refuse it. */
const ANSWER_MEMBERS: ReadonlySet<string> = new Set(
  'refusal annotations reasoning reasoning_content reasoning_details extra_content index'.split(' '),
);

/** Returns a part of a message without what clients copy into it from the answer around it. */
const bare = (part: unknown): unknown =>
  isObject(part) ? pick(part, ([key]) => !isCopiedToPart(key, part.type)) : part;

/** Converts the members of a message, and of its parts and tool calls. Returns the object itself where none changes. */
function pick(value: unknown, isKept: (entry: [key: string, value: unknown]) => boolean): unknown {
  if (!isObject(value)) return value;
  const picked = Object.entries(value)
    .filter(isKept)
    .map(([key, each]): [string, unknown] => {
      if (key === 'tool_calls') return [key, convertEach(each, (call) => pick(call, isKept))];
      if (key === 'content') return [key, convertEach(each, bare)];
      return [key, key === 'function' ? pick(each, isKept) : each];
    });
  const isUnchanged = picked.length === Object.keys(value).length && picked.every(([key, each]) => value[key] === each);
  return isUnchanged ? value : Object.fromEntries(picked);
}

/** Returns a message with its reasoning under the name that Groq has for it, too, and with a refusal as what was said. */
function renamed(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { reasoning_content, refusal, content, tool_calls, function_call } = message;
  return {
    ...message,
    ...(reasoning_content ? { reasoning: reasoning_content } : {}),
    ...(content || tool_calls || function_call || !refusal ? {} : { content: refusal }),
  };
}

/** The messages as the provider takes them, where they differ from the caller's. */
function takenMessages({
  request: { messages },
  provider,
  upstream,
  outputLimit,
}: AdapterRequest): Record<string, unknown> {
  const takes = provider.takesOfAnswers?.(upstream);
  if (!takes && outputLimit === undefined) return {};
  const isTaken = ([key, value]: [string, unknown]): boolean =>
    !takes || (value !== null && (takes.includes(key) || !ANSWER_MEMBERS.has(key)));
  const isKept = (entry: [string, unknown]): boolean => !isAddedByClients(entry[0]) && isTaken(entry);
  const taken = convertEach(messages, (message) => {
    const picked = pick(message, isKept);
    return picked === message || !takes ? picked : pick(renamed(message), isKept);
  });
  return taken === messages ? {} : { messages: taken };
}

/** Returns true where a call of a tool, or what was said to its result, has lost its reasoning: many clients do not send it back. */
const lacksReasoning = (messages: readonly unknown[]): boolean =>
  messages.filter(isObject).some(({ role, tool_calls, reasoning_content }, at, all) => {
    const isOfCall = (Array.isArray(tool_calls) && tool_calls.length > 0) || all[at - 1]?.role === 'tool';
    return role === 'assistant' && isOfCall && !reasoning_content;
  });

/**
 * Tells a provider that needs reasoning back to answer without thinking where the conversation lacks it, or where the caller wants
 * none. It refuses an effort beside that: https://api-docs.deepseek.com/guides/thinking_mode
 */
function toldThinking({ provider, request }: AdapterRequest): Record<string, unknown> {
  if (!provider.needsReasoning || 'thinking' in request) return {};
  const isOff = request.reasoning_effort === 'none' || lacksReasoning(request.messages);
  return isOff ? { thinking: { type: 'disabled' }, reasoning_effort: undefined } : {};
}

/** The request as it came, with the model as its provider names it; on credits, only what was checked of it. */
export function prepareRequest(ask: AdapterRequest): Prepared {
  const { request, provider } = ask;
  const usage = request.stream && provider.takesStreamOptions;
  const stream_options = usage ? { ...request.stream_options, include_usage: true } : undefined;
  const changes = { ...(request.stream ? { stream_options } : {}), ...takenMessages(ask), ...toldThinking(ask) };
  const path = '/chat/completions';
  if (ask.outputLimit === undefined)
    return { path, body: setMembers(ask.text, { model: ask.upstream, ...changes }), ignored: [] };
  return { path, body: writeBody(ask, changes), ignored: Object.keys(request).filter(isLeftOut) };
}
