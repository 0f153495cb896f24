import type { ServerResponse } from 'node:http';
import { isObject } from '../../../contract/json.ts';
import {
  isThinkingOff,
  type Refusal,
  refuseAsDeepSeek,
  refuseAsGoogle,
  refuseAsGroq,
  refuseAsMistral,
} from './refusals.ts';
import type { Pace } from './reply.ts';

/** Differences between a provider and OpenAI, as described by its documentation and by users' reports. */
export interface Quirks {
  /** Errors by the name of the requested fault, such as `content-refused` for `fault:content-refused`. */
  errors?: Record<string, Refusal>;
  /** The SSE comment that a stream begins with, before its first chunk. */
  initialComment?: string;
  /** True if tool calls lack the field `type`. */
  untypedToolCalls?: boolean;
  /** True if a stream sends each tool call whole in one chunk, without its index, and ends with the finish reason `stop`. */
  wholeToolCalls?: boolean;
  /** True if the content of a message with reasoning is an array of parts. */
  contentInParts?: boolean;
  /** The field of a message that contains its reasoning. */
  reasoningField?: 'reasoning' | 'reasoning_content';
  /** Returns the refusal of a request that OpenAI accepts; undefined if this provider accepts it too. */
  refuse?: (body: Record<string, unknown>) => Refusal | undefined;
  /** True if the last chunk of every stream has the usage, whether or not the request asks for it. */
  usageInLastChunk?: boolean;
  /** True if each chunk of a stream repeats its text in the field `token` next to `choices`. */
  duplicatesText?: boolean;
}

/** Answers a request in one of the wire formats. The key is empty if the request has none. */
export type Handler = (
  body: unknown,
  key: string,
  response: ServerResponse,
  pace: Pace,
  quirks: Quirks,
) => Promise<void>;

const part = (text: string) => ({ type: 'text', text });
const THINKING = [{ type: 'thinking', thinking: [part('Let me think about it.')] }];

/** Returns the content of a message: its text, or an array of its thinking and its text. */
export const contentOf = (text: string, thinks: boolean): unknown => (thinks ? [...THINKING, part(text)] : text);
/** Returns the deltas with thinking that a stream begins with. */
export const thinkingDeltas = (thinks: boolean): object[] => (thinks ? [{ content: THINKING }] : []);
/** Returns the field of a message with its reasoning; none if the provider has no such field or thinking is off. */
export const reasoningOf = ({ reasoningField }: Quirks, body: unknown): object =>
  reasoningField && !isThinkingOff(body) ? { [reasoningField]: 'Let me think about it.' } : {};

export const QUIRKS: Readonly<Record<string, Quirks>> = {
  openai: {
    errors: {
      'credit-used-up': [
        429,
        {
          error: {
            message: 'You exceeded your current quota, please check your plan and billing details.',
            type: 'insufficient_quota',
            param: null,
            code: 'insufficient_quota',
          },
        },
      ],
    },
  },
  anthropic: {
    errors: {
      'credit-used-up': [
        400,
        {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.',
          },
        },
      ],
    },
  },
  google: {
    wholeToolCalls: true,
    refuse: refuseAsGoogle,
    errors: {
      'key-refused': [
        400,
        [
          {
            error: {
              code: 400,
              status: 'INVALID_ARGUMENT',
              message: 'API key not valid. Please pass a valid API key.',
              details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
            },
          },
        ],
      ],
    },
  },
  xai: {
    errors: {
      'key-refused': [
        400,
        {
          code: 'Client specified an invalid argument',
          error: 'Incorrect API key provided: xa***23. You can obtain an API key from the console.',
        },
      ],
      'credit-used-up': [
        429,
        {
          code: 'Some resource has been exhausted',
          error:
            'Your team 0b5c-team has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.',
        },
      ],
      'content-refused': [
        403,
        {
          code: 'The caller does not have permission to execute the specified operation',
          error:
            'Content violates usage guidelines. Team: 0b5c-team, API key ID: 7d1e-key, Model: grok-4.3, Failed check: SAFETY_CHECK_TYPE_BIO',
        },
      ],
    },
  },
  mistral: { untypedToolCalls: true, contentInParts: true, usageInLastChunk: true, refuse: refuseAsMistral },
  groq: { reasoningField: 'reasoning', refuse: refuseAsGroq },
  together: { duplicatesText: true },
  deepseek: { initialComment: ': keep-alive\n\n', reasoningField: 'reasoning_content', refuse: refuseAsDeepSeek },
  openrouter: {
    initialComment: ': OPENROUTER PROCESSING\n\n',
    errors: {
      'content-refused': [
        403,
        {
          error: {
            code: 403,
            message: 'Your chosen model requires moderation and your input was flagged for "violence".',
            metadata: { reasons: ['violence'], flagged_input: 'a few words', provider_name: 'Provider' },
          },
        },
      ],
    },
  },
};

const sendJson = (response: ServerResponse, [status, body]: Refusal): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Sends the refusal of a request that only this provider refuses. Returns false if the provider accepts it. */
export function sendRefusal(response: ServerResponse, { refuse }: Quirks, body: unknown): boolean {
  const refusal = isObject(body) ? refuse?.(body) : undefined;
  if (refusal) sendJson(response, refusal);
  return refusal !== undefined;
}

/** Sends the error that a fault causes at this provider. Returns false if the provider has no error of that name. */
export function sendProviderError(response: ServerResponse, { errors = {} }: Quirks, fault: string): boolean {
  const error = Object.hasOwn(errors, fault) ? errors[fault] : undefined;
  if (error) sendJson(response, error);
  return error !== undefined;
}
