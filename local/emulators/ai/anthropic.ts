import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { reportedUsage } from './greedy.ts';
import { type Handler, sendProviderError } from './quirks.ts';
import { composeReply, isImage, Message, requestedFault, requestedPace, textOf } from './reply.ts';
import { sendStream, sendWhole } from './wire.ts';

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  max_tokens: z.number().int().min(1),
  system: z
    .union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string().regex(/\S/) }))])
    .optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
});

const TYPES: Record<number, [type: string, message: string]> = {
  400: ['invalid_request_error', 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens'],
  401: ['authentication_error', 'invalid x-api-key'],
  403: ['permission_error', 'Your API key does not have permission to use the specified resource.'],
  404: ['not_found_error', 'model: no-such-model'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  429: ['rate_limit_error', 'This request would exceed your organization’s rate limit of 50 requests per minute.'],
  529: ['overloaded_error', 'Overloaded'],
};

function sendError(response: ServerResponse, status: number, retryAfter?: number, customMessage?: string): void {
  const [type, message] = TYPES[status] ?? ['api_error', 'Internal server error'];
  const headers = { 'content-type': 'application/json', ...(retryAfter ? { 'retry-after': String(retryAfter) } : {}) };
  response.writeHead(status, headers);
  response.end(
    JSON.stringify({ type: 'error', error: { type, message: customMessage ?? message }, request_id: 'req_local' }),
  );
}

const STOPS = { end: 'end_turn', limit: 'max_tokens', stop: 'stop_sequence' } as const;
const REQUESTED_STOPS = /^(refusal|tool_use|pause_turn|model_context_window_exceeded)$/;

/** Returns the error message for a message that Anthropic refuses, or undefined. */
function findMessageError(message: Message, index: number): string | undefined {
  if (message.role !== 'user' && message.role !== 'assistant') {
    return `messages.${index}.role: Input should be 'user' or 'assistant'`;
  }
  if (!Array.isArray(message.content)) {
    return textOf(message) ? undefined : `messages.${index}: user messages must have non-empty content`;
  }
  for (const { type, text, source } of message.content) {
    if (type === 'text' && !text?.trim()) return 'messages: text content blocks must contain non-whitespace text';
    if (source?.type === 'base64' && !isImage(source.data ?? '')) return 'Could not process image';
  }
  return undefined;
}

/** Returns the error message for the first message that Anthropic refuses, or undefined. */
function findContentError(messages: readonly Message[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const error = findMessageError(message, index);
    if (error) return error;
  }
  return undefined;
}

/** Refuses a request that names no version of the API. */
export const refuseWithoutVersion = (response: ServerResponse): void =>
  sendError(response, 400, undefined, 'anthropic-version: header is required');

/** Emulates Anthropic's POST /v1/messages. */
export const handleMessages: Handler = async (body, key, response, pace, quirks) => {
  if (key === '' || /wrong|revoked/.test(key)) return sendError(response, 401);
  const parsed = Request.safeParse(body);
  if (!parsed.success) return sendError(response, 400, undefined, z.prettifyError(parsed.error));
  const { model, messages, max_tokens, stream, stop_sequences = [] } = parsed.data;
  const fault = requestedFault(model, messages);
  if (/^\d{3}$/.test(fault.name)) return sendError(response, Number(fault.name), fault.value);
  if (sendProviderError(response, quirks, fault.name)) return;
  const contentError = findContentError(messages);
  if (contentError) return sendError(response, 400, undefined, contentError);
  const reply = composeReply(messages, max_tokens, stop_sequences);
  const tokens = fault.name === 'huge' ? ['x'.repeat(5_000_000)] : reply.tokens;
  const stop_reason = REQUESTED_STOPS.test(fault.name) ? fault.name : STOPS[reply.end];
  const cached = fault.name === 'cache' ? { read: 40, written: 20 } : { read: 0, written: 0 };
  const actual = { promptTokens: reply.promptTokens, outputTokens: tokens.length };
  const { promptTokens, outputTokens } = reportedUsage(fault, body, actual);
  const prompt = {
    input_tokens: promptTokens,
    cache_creation_input_tokens: cached.written,
    cache_read_input_tokens: cached.read,
  };
  const hasUsage = fault.name !== 'no-usage';
  const message = { id: `msg_${randomBytes(12).toString('hex')}`, type: 'message', role: 'assistant', model };
  if (!stream) {
    const content = [{ type: 'text', text: tokens.join('') }];
    const usage = hasUsage ? { usage: { ...prompt, output_tokens: outputTokens } } : {};
    return sendWhole(response, fault.name, { ...message, content, stop_reason, stop_sequence: null, ...usage });
  }
  const event = (document: { type: string; [field: string]: unknown }) =>
    `event: ${document.type}\ndata: ${JSON.stringify(document)}\n\n`;
  const initialMessage = { ...message, content: [], stop_reason: null, stop_sequence: null };
  const script = {
    before: [
      event({
        type: 'message_start',
        message: { ...initialMessage, ...(hasUsage ? { usage: { ...prompt, output_tokens: 1 } } : {}) },
      }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'ping' }),
    ],
    tokens: tokens.map((text) => event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    after: [
      event({ type: 'content_block_stop', index: 0 }),
      event({
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        ...(hasUsage ? { usage: { output_tokens: outputTokens, input_tokens: null } } : {}),
      }),
      event({ type: 'message_stop' }),
    ],
    error: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  };
  return sendStream(response, fault.name, script, requestedPace(fault, pace));
};
