import { isAddedByClients, isCopiedToPart, isLeftOut } from '../../contract/ai/credit-fields.ts';
import { isObject } from '../../contract/json.ts';
import type { AdapterRequest, Prepared } from './adapter.ts';
import { convertEach } from './chat-form.ts';
import { isAmbiguous, setMembers } from './json-splice.ts';

/**
 * Returns the body for a call with the platform's key. It contains only what was checked, and a single output limit. A text that
 * another parser could read differently is serialized again.
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

/** Members of answers that a conversation does not need. Providers that do not know them refuse the conversation. */
const ANSWER_MEMBERS: ReadonlySet<string> = new Set(
  'refusal annotations reasoning reasoning_content reasoning_details extra_content index'.split(' '),
);

/** Returns a part of a message without the members that clients copy into it from the surrounding answer. */
const stripPart = (part: unknown): unknown =>
  isObject(part) ? pick(part, ([key]) => !isCopiedToPart(key, part.type)) : part;

/** Filters the members of a message, its parts and its tool calls. Returns the object itself if nothing changes. */
function pick(value: unknown, isKept: (entry: [key: string, value: unknown]) => boolean): unknown {
  if (!isObject(value)) return value;
  const picked = Object.entries(value)
    .filter(isKept)
    .map(([key, member]): [string, unknown] => {
      if (key === 'tool_calls') return [key, convertEach(member, (call) => pick(call, isKept))];
      if (key === 'content') return [key, convertEach(member, stripPart)];
      return [key, key === 'function' ? pick(member, isKept) : member];
    });
  const hasSameSize = picked.length === Object.keys(value).length;
  const isUnchanged = hasSameSize && picked.every(([key, member]) => value[key] === member);
  return isUnchanged ? value : Object.fromEntries(picked);
}

/** Returns a message with its reasoning also under Groq's name, and with a refusal as its content if it has no other. */
function adaptMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { reasoning_content, refusal, content, tool_calls, function_call } = message;
  return {
    ...message,
    ...(reasoning_content ? { reasoning: reasoning_content } : {}),
    ...(content || tool_calls || function_call || !refusal ? {} : { content: refusal }),
  };
}

/** Returns the messages in the form that the provider accepts; empty if the caller's messages need no change. */
function changedMessages({
  request: { messages },
  provider,
  upstream,
  outputLimit,
}: AdapterRequest): Record<string, unknown> {
  const accepted = provider.acceptedAnswerMembers?.(upstream);
  if (!accepted && outputLimit === undefined) return {};
  const isAccepted = ([key, value]: [string, unknown]): boolean =>
    !accepted || (value !== null && (accepted.includes(key) || !ANSWER_MEMBERS.has(key)));
  const isKept = (entry: [string, unknown]): boolean => !isAddedByClients(entry[0]) && isAccepted(entry);
  const changed = convertEach(messages, (message) => {
    const picked = pick(message, isKept);
    return picked === message || !accepted ? picked : pick(adaptMessage(message), isKept);
  });
  return changed === messages ? {} : { messages: changed };
}

/** Returns true if a tool call, or the answer to its result, lacks its reasoning: many clients do not send it back. */
const lacksReasoning = (messages: readonly unknown[]): boolean =>
  messages.filter(isObject).some(({ role, tool_calls, reasoning_content }, index, all) => {
    const needsReasoning = (Array.isArray(tool_calls) && tool_calls.length > 0) || all[index - 1]?.role === 'tool';
    return role === 'assistant' && needsReasoning && !reasoning_content;
  });

/**
 * Turns thinking off at a provider that requires the reasoning of earlier answers, if the conversation lacks it or the caller wants
 * none. The provider refuses a reasoning effort together with that: https://api-docs.deepseek.com/guides/thinking_mode
 */
function thinkingChanges({ provider, request }: AdapterRequest): Record<string, unknown> {
  if (!provider.needsReasoning || 'thinking' in request) return {};
  const isOff = request.reasoning_effort === 'none' || lacksReasoning(request.messages);
  return isOff ? { thinking: { type: 'disabled' }, reasoning_effort: undefined } : {};
}

/** Prepares a request with the provider's name of the model. On credits it contains only what was checked. */
export function prepareRequest(adapterRequest: AdapterRequest): Prepared {
  const { request, provider } = adapterRequest;
  const usage = request.stream && provider.takesStreamOptions;
  const stream_options = usage ? { ...request.stream_options, include_usage: true } : undefined;
  const thinking = thinkingChanges(adapterRequest);
  const changes = { ...(request.stream ? { stream_options } : {}), ...changedMessages(adapterRequest), ...thinking };
  const path = '/chat/completions';
  // Thinking that the caller turns off is not ignored.
  const isEffortLost = 'reasoning_effort' in thinking && request.reasoning_effort !== 'none';
  const isIgnored = (field: string) =>
    field === 'reasoning_effort' ? isEffortLost : adapterRequest.outputLimit !== undefined && isLeftOut(field);
  const ignored = Object.keys(request).filter((field) => request[field] !== null && isIgnored(field));
  if (adapterRequest.outputLimit === undefined)
    return { path, body: setMembers(adapterRequest.text, { model: adapterRequest.upstream, ...changes }), ignored };
  return { path, body: writeBody(adapterRequest, changes), ignored };
}
