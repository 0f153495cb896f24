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

/** Ways in which a provider differs from OpenAI, as its documentation and users' reports have them. */
export interface Quirks {
  /** Errors by the name of the fault that causes them: `fault:content-refused`. */
  errors?: Record<string, Refusal>;
  /** The beginning of a stream, before its first chunk. */
  signOfLife?: string;
  /** True where tool calls have no type. */
  untypedCalls?: boolean;
  /** True where a stream has each tool call in a chunk of its own, without its index, and ends with the reason `stop`. */
  unnumberedCalls?: boolean;
  /** True where an answer with reasoning has parts as its content. */
  thinksInParts?: boolean;
  /** The member beside its content in which an answer has its reasoning. */
  reasons?: 'reasoning' | 'reasoning_content';
  /** Refuses a request that OpenAI takes. */
  refuse?: (body: Record<string, unknown>) => Refusal | undefined;
  /** True where a chunk of a stream has its text a second time, as a token beside the choices. */
  repeatsTokens?: boolean;
}

/** Answers a request in one of the wire formats; the key is empty where none was sent. */
export type Handler = (
  body: unknown,
  key: string,
  response: ServerResponse,
  pace: Pace,
  quirks: Quirks,
) => Promise<void>;

const part = (text: string) => ({ type: 'text', text });
const THINKING = [{ type: 'thinking', thinking: [part('Let me think about it.')] }];

/** Returns the content of an answer: in parts behind its thinking, where the provider has it so. */
export const contentOf = (text: string, thinks: boolean): unknown => (thinks ? [...THINKING, part(text)] : text);
/** Returns the thinking that a stream begins with; its text follows as usual. */
export const thinkingDeltas = (thinks: boolean): object[] => (thinks ? [{ content: THINKING }] : []);
/** Returns the reasoning of an answer, where the provider has it beside the content. */
export const reasoningOf = ({ reasons }: Quirks, body: unknown): object =>
  reasons && !isThinkingOff(body) ? { [reasons]: 'Let me think about it.' } : {};

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
    unnumberedCalls: true,
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
  mistral: { untypedCalls: true, thinksInParts: true, refuse: refuseAsMistral },
  groq: { reasons: 'reasoning', refuse: refuseAsGroq },
  together: { repeatsTokens: true },
  deepseek: { signOfLife: ': keep-alive\n\n', reasons: 'reasoning_content', refuse: refuseAsDeepSeek },
  openrouter: {
    signOfLife: ': OPENROUTER PROCESSING\n\n',
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

/** Answers a request that only this provider refuses. Returns false when it takes it. */
export function sendRefusal(response: ServerResponse, { refuse }: Quirks, body: unknown): boolean {
  const refusal = isObject(body) ? refuse?.(body) : undefined;
  if (refusal) sendJson(response, refusal);
  return refusal !== undefined;
}

/** Answers with the error that a fault causes at this provider. Returns false when it has none of that name. */
export function sendOwnError(response: ServerResponse, { errors = {} }: Quirks, fault: string): boolean {
  const error = Object.hasOwn(errors, fault) ? errors[fault] : undefined;
  if (error) sendJson(response, error);
  return error !== undefined;
}
