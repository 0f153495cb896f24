import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { countAs } from './greedy.ts';
import {
  contentOf,
  type Handler,
  type Quirks,
  reasoningOf,
  sendOwnError,
  sendRefusal,
  thinkingDeltas,
} from './quirks.ts';
import { composeReply, isImage, Message, requestedFault, requestedPace } from './reply.ts';
import { callsFor, findToolError, structuredText, type ToolCall, ToolFields } from './tools.ts';
import { sendStream, sendWhole } from './wire.ts';

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().min(1).max(128).nullish(),
  reasoning_effort: z.string().nullish(),
  ...ToolFields,
});

const TYPES: Record<number, [type: string, code: string | null, message: string]> = {
  400: ['invalid_request_error', null, "Invalid value for 'temperature': expected a number between 0 and 2."],
  401: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-wrong********************1234.'],
  403: ['invalid_request_error', 'unsupported_country', 'Country, region, or territory not supported'],
  404: ['invalid_request_error', 'model_not_found', 'The model does not exist or you do not have access to it.'],
  413: ['invalid_request_error', null, 'The request is too large.'],
  429: ['requests', 'rate_limit_exceeded', 'Rate limit reached for requests. Please try again in 20s.'],
};

export function sendError(response: ServerResponse, status: number, retryAfter?: number, customMessage?: string): void {
  const [type, code, message] = TYPES[status] ?? [
    'server_error',
    null,
    'The server had an error while processing your request.',
  ];
  const headers = { 'content-type': 'application/json', ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ error: { message: customMessage ?? message, type, param: null, code } }));
}

/** Tool calls as they are streamed: each begins with its name, and its arguments follow in pieces. */
const callDeltas = (calls: readonly Omit<ToolCall, 'type'>[], { unnumberedCalls }: Quirks): object[] =>
  calls.flatMap((call, index): object[] => {
    if (unnumberedCalls) return [{ tool_calls: [call] }];
    const { name, arguments: text } = call.function;
    return [
      { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
      ...(text.match(/.{1,12}/gs) ?? []).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });

type Fault = ReturnType<typeof requestedFault>;

/** Returns true where a picture that was sent with the messages is none. */
const hasBrokenImage = (messages: readonly z.infer<typeof Message>[]): boolean =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .map(({ image_url }) => /^data:[^,]*,(.*)$/s.exec(image_url?.url ?? '')?.[1])
    .some((data) => data !== undefined && !isImage(data));

/** The content of an answer, for either form in which it may be asked for. */
interface Answer {
  /** Members that the whole answer and each chunk of a stream begin with. */
  head: object;
  tokens: readonly string[];
  calls: readonly Omit<ToolCall, 'type'>[];
  /** The number of answers, which all say the same. */
  answers: number;
  thinks: boolean;
  /** Members of the message about its reasoning. */
  reasoning: object;
  finish: string;
  /** Undefined where it is not told. */
  usage: object | undefined;
}

const repeated = <T>({ answers }: Answer, make: (index: number) => T): T[] =>
  Array.from({ length: answers }, (_, index) => make(index));

function wholeAnswer(answer: Answer): object {
  const { head, tokens, calls, thinks, reasoning, finish, usage } = answer;
  const said =
    calls.length > 0 ? { content: null, tool_calls: calls } : { content: contentOf(tokens.join(''), thinks) };
  const message = { role: 'assistant', ...said, ...reasoning, refusal: null, annotations: [] };
  const choices = repeated(answer, (index) => ({ index, message, logprobs: null, finish_reason: finish }));
  return { ...head, object: 'chat.completion', choices, ...(usage ? { usage } : {}) };
}

/** Returns the frames of a stream; its usage is told in them only where the caller asked for it. */
function streamScript(answer: Answer, quirks: Quirks) {
  const { head, tokens, calls, thinks, reasoning, finish, usage } = answer;
  const frame = (choices: object[], told: object | null, others: object = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...(usage ? { usage: told } : {}), ...others })}\n\n`;
  const chunk = (delta: object, finish_reason: string | null = null, others: object = {}) =>
    repeated(answer, (index) => frame([{ index, delta, logprobs: null, finish_reason }], null, others)).join('');
  const textChunk = (content: string) => {
    const token = { id: 330, text: content, logprob: 0, special: false };
    return chunk({ content }, null, quirks.repeatsTokens ? { token } : {});
  };
  return {
    before: [
      ...(quirks.signOfLife ? [quirks.signOfLife] : []),
      chunk({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null, ...reasoning }),
    ],
    tokens: [
      ...thinkingDeltas(thinks).map((delta) => chunk(delta)),
      ...tokens.map(textChunk),
      ...callDeltas(calls, quirks).map((delta) => chunk(delta)),
    ],
    after: [
      chunk({}, quirks.unnumberedCalls && calls.length > 0 ? 'stop' : finish),
      ...(usage ? [frame([], usage)] : []),
      'data: [DONE]\n\n',
    ],
    error: `data: ${JSON.stringify({ error: { message: 'The server had an error.', type: 'server_error', code: null } })}\n\n`,
  };
}

/** Composes the answer to a request: the same for the same words, apart from what a fault asks for. */
function composeAnswer(request: z.infer<typeof Request>, body: unknown, fault: Fault, quirks: Quirks): Answer {
  const { model, messages, stop, max_completion_tokens, max_tokens, n, reasoning_effort } = request;
  const limit = max_completion_tokens ?? max_tokens ?? 16_384;
  const reply = composeReply(messages, limit, [stop ?? []].flat(), structuredText(request, messages));
  const calls = callsFor(request, messages).map(({ type, ...call }) =>
    quirks.untypedCalls ? call : { ...call, type },
  );
  const tokens = fault.name === 'huge' ? ['x'.repeat(5_000_000)] : calls.length > 0 ? [] : reply.tokens;
  const answers = n ?? 1;
  const outputTokens = answers * (tokens.length + callDeltas(calls, quirks).length);
  const counted = countAs(fault, body, { promptTokens: reply.promptTokens, outputTokens });
  const usage = {
    prompt_tokens: counted.promptTokens,
    completion_tokens: counted.outputTokens,
    total_tokens: counted.promptTokens + counted.outputTokens,
    prompt_tokens_details: { cached_tokens: fault.name === 'cache' ? reply.promptTokens >> 1 : 0 },
  };
  return {
    head: {
      id: `chatcmpl-${randomBytes(12).toString('hex')}`,
      created: Math.floor(Date.now() / 1000),
      model: `${model}-2026-01-01`,
      system_fingerprint: null,
    },
    tokens,
    calls,
    answers,
    thinks: quirks.thinksInParts === true && reasoning_effort === 'high',
    reasoning: reasoningOf(quirks, body),
    finish: calls.length > 0 ? 'tool_calls' : reply.end === 'limit' ? 'length' : 'stop',
    usage: fault.name === 'no-usage' ? undefined : usage,
  };
}

/** Emulates POST …/chat/completions of OpenAI and of providers with the same format. */
export const handleCompletions: Handler = async (body, key, response, pace, quirks) => {
  const refuse = (message: string) => sendError(response, 400, undefined, message);
  if (key === '' || /wrong|revoked/.test(key)) {
    return sendOwnError(response, quirks, 'key-refused') ? undefined : sendError(response, 401);
  }
  const parsed = Request.safeParse(body);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  const { model, messages, stream, stream_options } = parsed.data;
  const fault = requestedFault(model, messages);
  if (/^\d{3}$/.test(fault.name)) return sendError(response, Number(fault.name), fault.value);
  if (sendOwnError(response, quirks, fault.name)) return;
  if (hasBrokenImage(messages)) {
    return refuse('You uploaded an unsupported image. Please make sure your image is valid.');
  }
  const toolError = findToolError(messages);
  if (toolError) return refuse(toolError);
  if (sendRefusal(response, quirks, body)) return;
  const answer = composeAnswer(parsed.data, body, fault, quirks);
  if (!stream) return sendWhole(response, fault.name, wholeAnswer(answer));
  const usage = stream_options?.include_usage === true ? answer.usage : undefined;
  return sendStream(response, fault.name, streamScript({ ...answer, usage }, quirks), requestedPace(fault, pace));
};
