import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { reportedUsage } from './greedy.ts';
import {
  contentOf,
  type Handler,
  type Quirks,
  reasoningOf,
  sendProviderError,
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

function sendError(response: ServerResponse, status: number, retryAfter?: number, customMessage?: string): void {
  const [type, code, message] = TYPES[status] ?? [
    'server_error',
    null,
    'The server had an error while processing your request.',
  ];
  const headers = { 'content-type': 'application/json', ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ error: { message: customMessage ?? message, type, param: null, code } }));
}

/** Returns the deltas that stream tool calls: a call begins with its name, and its arguments follow in pieces. */
const toolCallDeltas = (calls: readonly Omit<ToolCall, 'type'>[], { wholeToolCalls }: Quirks): object[] =>
  calls.flatMap((call, index): object[] => {
    if (wholeToolCalls) return [{ tool_calls: [call] }];
    const { name, arguments: text } = call.function;
    return [
      { tool_calls: [{ index, ...call, function: { name, arguments: '' } }] },
      ...(text.match(/.{1,12}/gs) ?? []).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ];
  });

type Fault = ReturnType<typeof requestedFault>;

/** Returns true if a message contains base64 data that is not an image. */
const hasBrokenImage = (messages: readonly z.infer<typeof Message>[]): boolean =>
  messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .map(({ image_url }) => /^data:[^,]*,(.*)$/s.exec(image_url?.url ?? '')?.[1])
    .some((data) => data !== undefined && !isImage(data));

/** The content of a completion, independent of whether it is streamed. */
interface Completion {
  /** Fields that the document and each chunk of a stream begin with. */
  head: object;
  tokens: readonly string[];
  calls: readonly Omit<ToolCall, 'type'>[];
  /** The number of choices, which are identical. */
  choiceCount: number;
  thinks: boolean;
  /** Fields of the message that contain its reasoning. */
  reasoning: object;
  finish: string;
  /** Undefined if the provider does not report it. */
  usage: object | undefined;
}

const forEachChoice = <T>({ choiceCount }: Completion, create: (index: number) => T): T[] =>
  Array.from({ length: choiceCount }, (_, index) => create(index));

function completionDocument(completion: Completion): object {
  const { head, tokens, calls, thinks, reasoning, finish, usage } = completion;
  const content =
    calls.length > 0 ? { content: null, tool_calls: calls } : { content: contentOf(tokens.join(''), thinks) };
  const message = { role: 'assistant', ...content, ...reasoning, refusal: null, annotations: [] };
  const choices = forEachChoice(completion, (index) => ({ index, message, logprobs: null, finish_reason: finish }));
  return { ...head, object: 'chat.completion', choices, ...(usage ? { usage } : {}) };
}

/**
 * Returns the frames of a stream. If the completion has a usage, a frame of its own has it and all others have it as null, or only
 * the last chunk has it (`usageInLastChunk`).
 */
function completionFrames(completion: Completion, quirks: Quirks) {
  const { head, tokens, calls, thinks, reasoning, finish } = completion;
  const usage = quirks.usageInLastChunk ? undefined : completion.usage;
  const lastUsage = quirks.usageInLastChunk && completion.usage ? { usage: completion.usage } : {};
  const frame = (choices: object[], frameUsage: object | null, others: object = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...(usage ? { usage: frameUsage } : {}), ...others })}\n\n`;
  const chunk = (delta: object, finish_reason: string | null = null, others: object = {}) =>
    forEachChoice(completion, (index) => frame([{ index, delta, logprobs: null, finish_reason }], null, others)).join(
      '',
    );
  const textChunk = (content: string) => {
    const token = { id: 330, text: content, logprob: 0, special: false };
    return chunk({ content }, null, quirks.duplicatesText ? { token } : {});
  };
  return {
    before: [
      ...(quirks.initialComment ? [quirks.initialComment] : []),
      chunk({ role: 'assistant', content: calls.length > 0 ? null : '', refusal: null, ...reasoning }),
    ],
    tokens: [
      ...thinkingDeltas(thinks).map((delta) => chunk(delta)),
      ...tokens.map(textChunk),
      ...toolCallDeltas(calls, quirks).map((delta) => chunk(delta)),
    ],
    after: [
      chunk({}, quirks.wholeToolCalls && calls.length > 0 ? 'stop' : finish, lastUsage),
      ...(usage ? [frame([], usage)] : []),
      'data: [DONE]\n\n',
    ],
    error: `data: ${JSON.stringify({ error: { message: 'The server had an error.', type: 'server_error', code: null } })}\n\n`,
  };
}

/** Composes the completion of a request. The same words give the same text, unless the request asks for a fault. */
function composeCompletion(request: z.infer<typeof Request>, body: unknown, fault: Fault, quirks: Quirks): Completion {
  const { model, messages, stop, max_completion_tokens, max_tokens, n, reasoning_effort } = request;
  const limit = max_completion_tokens ?? max_tokens ?? 16_384;
  const reply = composeReply(messages, limit, [stop ?? []].flat(), structuredText(request, messages));
  const calls = callsFor(request, messages).map(({ type, ...call }) =>
    quirks.untypedToolCalls ? call : { ...call, type },
  );
  const tokens = fault.name === 'huge' ? ['x'.repeat(5_000_000)] : calls.length > 0 ? [] : reply.tokens;
  const choiceCount = n ?? 1;
  const outputTokens = choiceCount * (tokens.length + toolCallDeltas(calls, quirks).length);
  const counted = reportedUsage(fault, body, { promptTokens: reply.promptTokens, outputTokens });
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
    choiceCount,
    thinks: quirks.contentInParts === true && reasoning_effort === 'high',
    reasoning: reasoningOf(quirks, body),
    finish: calls.length > 0 ? 'tool_calls' : reply.end === 'limit' ? 'length' : 'stop',
    usage: fault.name === 'no-usage' ? undefined : usage,
  };
}

/** Emulates POST …/chat/completions of OpenAI and of providers with the same format. */
export const handleCompletions: Handler = async (body, key, response, pace, quirks) => {
  const refuse = (message: string) => sendError(response, 400, undefined, message);
  if (key === '' || /wrong|revoked/.test(key)) {
    return sendProviderError(response, quirks, 'key-refused') ? undefined : sendError(response, 401);
  }
  const parsed = Request.safeParse(body);
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  const { model, messages, stream, stream_options } = parsed.data;
  const fault = requestedFault(model, messages);
  if (/^\d{3}$/.test(fault.name)) return sendError(response, Number(fault.name), fault.value);
  if (sendProviderError(response, quirks, fault.name)) return;
  if (hasBrokenImage(messages)) {
    return refuse('You uploaded an unsupported image. Please make sure your image is valid.');
  }
  const toolError = findToolError(messages);
  if (toolError) return refuse(toolError);
  if (sendRefusal(response, quirks, body)) return;
  const completion = composeCompletion(parsed.data, body, fault, quirks);
  if (!stream) return sendWhole(response, fault.name, completionDocument(completion));
  const reportsUsage = quirks.usageInLastChunk || stream_options?.include_usage === true;
  const usage = reportsUsage ? completion.usage : undefined;
  const frames = completionFrames({ ...completion, usage }, quirks);
  return sendStream(response, fault.name, frames, requestedPace(fault, pace));
};
