import { isObject } from '../../../contract/json.ts';

/** A provider's error response to a request that OpenAI accepts. */
export type Refusal = [status: number, body: unknown];

type Path = (string | number)[];
interface Member {
  path: Path;
  key: string;
  value: unknown;
  /** The role of the message that contains the member; `call` in a tool call. */
  role: string;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

function membersOf(value: unknown, path: Path, role: string): Member[] {
  return isObject(value)
    ? Object.entries(value).map(([key, each]) => ({ path: [...path, key], key, value: each, role }))
    : [];
}

/** Returns the members of all messages and of their tool calls. */
function messageMembers(body: Record<string, unknown>): Member[] {
  return listOf(body.messages).flatMap((message, index) => {
    if (!isObject(message)) return [];
    const role = String(message.role);
    const calls = listOf(message.tool_calls).flatMap((call, at) =>
      membersOf(call, ['messages', index, role, 'tool_calls', at], 'call'),
    );
    return [...membersOf(message, ['messages', index, role], role), ...calls];
  });
}

/** Members that Mistral accepts in a request, and in its messages by role (@mistralai/mistralai). */
const MISTRAL_REQUEST = words(
  'model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools tool_choice presence_penalty ' +
    'frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort guardrails prompt_cache_key safe_prompt',
);
const MISTRAL_MESSAGES: Record<string, ReadonlySet<string>> = {
  assistant: words('role content tool_calls prefix'),
  user: words('role content'),
  system: words('role content'),
  tool: words('role content tool_call_id name'),
  call: words('id type function index'),
};

/** Refuses unknown members, as Mistral does: https://github.com/BerriAI/litellm/issues/30835 and Gage-Technologies/mistral-go#2. */
export function refuseAsMistral(body: Record<string, unknown>): Refusal | undefined {
  const extra = [
    ...membersOf(body, [], '').filter(({ key }) => !MISTRAL_REQUEST.has(key)),
    ...messageMembers(body).filter(({ key, role }) => MISTRAL_MESSAGES[role]?.has(key) === false),
  ];
  if (extra.length === 0) return undefined;
  const detail = extra.map(({ path, value: input }) => ({
    type: 'extra_forbidden',
    loc: ['body', ...path],
    msg: 'Extra inputs are not permitted',
    input,
  }));
  return [422, { object: 'error', message: { detail }, type: 'invalid_request_error', param: null, code: null }];
}

/** Members that Groq accepts in an assistant's message and in its tool calls (groq-sdk). */
const GROQ_MESSAGES: Record<string, ReadonlySet<string>> = {
  assistant: words('role content name function_call reasoning tool_calls'),
  call: words('id type function'),
};

/** Refuses unknown members of messages, as Groq does: https://github.com/janhq/jan/issues/8136. */
export function refuseAsGroq(body: Record<string, unknown>): Refusal | undefined {
  const [unknown] = messageMembers(body).filter(({ key, role }) => GROQ_MESSAGES[role]?.has(key) === false);
  if (!unknown) return undefined;
  const [, index] = unknown.path;
  const problem = `('messages.${index}' : property '${unknown.key}' is unsupported)`;
  const message = `'messages.${index}' : for 'role:assistant' the following must be satisfied[${problem}]`;
  return [400, { error: { message, type: 'invalid_request_error' } }];
}

/** Refuses null in messages, as Google does: https://github.com/github/copilot-sdk/issues/2061. */
export function refuseAsGoogle(body: Record<string, unknown>): Refusal | undefined {
  if (messageMembers(body).every(({ value }) => value !== null)) return undefined;
  return [400, [{ error: { code: 400, message: 'Value is not a string: null', status: 'INVALID_ARGUMENT' } }]];
}

/** Returns true if a request turns thinking off. */
export const isThinkingOff = (body: unknown): boolean =>
  isObject(body) && isObject(body.thinking) && body.thinking.type === 'disabled';

/**
 * Refuses messages with tool calls but without their reasoning, as DeepSeek does:
 * https://api-docs.deepseek.com/guides/thinking_mode, and lobehub/lobehub#14173.
 */
export function refuseAsDeepSeek(body: Record<string, unknown>): Refusal | undefined {
  const refuse = (message: string): Refusal => {
    const code = 'invalid_request_error';
    return [400, { error: { message, type: code, param: null, code } }];
  };
  if (isThinkingOff(body)) {
    const isContradiction = body.reasoning_effort !== undefined;
    return isContradiction
      ? refuse('thinking options type cannot be disabled when reasoning_effort is set')
      : undefined;
  }
  const calls = listOf(body.messages).filter((message) => isObject(message) && listOf(message.tool_calls).length > 0);
  const haveReasoning = calls.every((message) => isObject(message) && message.reasoning_content);
  return haveReasoning
    ? undefined
    : refuse('The `reasoning_content` in the thinking mode must be passed back to the API.');
}
