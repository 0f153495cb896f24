import * as z from 'zod/mini';
import { describe, resource } from '../envelope.ts';
import { isObject } from '../json.ts';
import { memoize } from '../memoize.ts';
import { route } from '../route.ts';
import { CREDIT_FIELDS, isDeeperThan, MAX_DEPTH } from './credit-fields.ts';
import { readImage } from './images.ts';

/**
 * The fields that are translated for Anthropic's models (specification, Notes for the model family of the sample model). Every
 * other field of a request to them is named in `X-Ignored-Parameters`.
 */
export const TRANSLATED_FIELDS = [
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'stream',
  'stream_options',
  'stop',
] as const;

/** Fields that callers expect to work and that these models ignore, by the provider of the model. */
export const IGNORED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['temperature', 'top_p', 'tools', 'response_format', 'n'],
};

/**
 * A chat body may hold this much, in bytes (design, section 4). Lambda takes as much for the whole event, in which the
 * body is a JSON text or, for types other than text and JSON, base64: it refuses some smaller bodies with a 413 of its own
 * (docs/decisions/0012-ai-gateway.md).
 */
export const MAX_CHAT_BODY_BYTES = 6 * 1024 * 1024;

/** The specification's roles, and those that pass through to providers that know them. */
const ROLES = ['system', 'user', 'assistant', 'developer', 'tool', 'function'] as const;
export type Role = (typeof ROLES)[number];

/** One part of a message's content; parts of other types pass through. */
export interface Part {
  type: string;
  text?: string;
  image_url?: { url: string };
}

/** A message as far as the gateway must know it. */
export interface Message {
  role: Role;
  content?: string | null | Part[];
}

interface Issue {
  path: (string | number)[];
  message: string;
}

function findPartProblem(part: unknown): Issue | undefined {
  if (!isObject(part) || typeof part.type !== 'string') return { path: [], message: 'must be an object with a type' };
  if (part.type === 'text' && typeof part.text !== 'string') return { path: ['text'], message: 'must be a string' };
  if (part.type !== 'image_url') return undefined;
  const url = isObject(part.image_url) ? part.image_url.url : undefined;
  if (typeof url !== 'string') return { path: ['image_url', 'url'], message: 'must be a string' };
  const image = readImage(url);
  return typeof image === 'string' ? { path: ['image_url', 'url'], message: image } : undefined;
}

/** An assistant that only calls tools says nothing; everybody else must. */
const mayBeEmpty = ({ role, tool_calls, function_call, refusal, audio }: Record<string, unknown>) =>
  role === 'function' || (role === 'assistant' && [tool_calls, function_call, refusal, audio].some(Boolean));

function findMessageProblem(message: unknown): Issue | undefined {
  if (!isObject(message)) return { path: [], message: 'must be an object' };
  const { role, content } = message;
  if (role === undefined) return { path: ['role'], message: 'is required' };
  if (!ROLES.some((known) => known === role)) {
    return { path: ['role'], message: 'must be one of system, user, assistant' };
  }
  if (typeof content === 'string') return undefined;
  if (content === undefined || content === null) {
    return mayBeEmpty(message) ? undefined : { path: ['content'], message: 'is required' };
  }
  if (!Array.isArray(content)) return { path: ['content'], message: 'must be a string or an array of parts' };
  if (content.length === 0) return { path: ['content'], message: 'must not be empty' };
  for (const [index, part] of content.entries()) {
    const wrong = findPartProblem(part);
    if (wrong) return { path: ['content', index, ...wrong.path], message: wrong.message };
  }
  return undefined;
}

const PART_SCHEMA = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { type: 'string', examples: ['text', 'image_url'] },
    text: { type: 'string' },
    image_url: {
      type: 'object',
      required: ['url'],
      properties: {
        url: { type: 'string', description: 'An http(s) URL, or a data: URL of a PNG, JPEG, GIF or WebP in base64' },
        detail: { type: 'string', enum: ['auto', 'low', 'high'] },
      },
    },
  },
};

const TOOL_CALL_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    type: { type: 'string', examples: ['function'] },
    function: { type: 'object', properties: { name: { type: 'string' }, arguments: { type: 'string' } } },
  },
};

const MESSAGE_SCHEMA = {
  type: 'object',
  required: ['role'],
  properties: {
    role: {
      type: 'string',
      enum: ROLES,
      description: '`developer`, `tool` and `function` pass to providers that know them',
    },
    content: {
      description: 'Text, or parts of text and pictures; null for an assistant that only calls tools',
      anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: PART_SCHEMA }, { type: 'null' }],
    },
    name: { type: 'string' },
    tool_calls: { anyOf: [{ type: 'array', items: TOOL_CALL_SCHEMA }, { type: 'null' }] },
    tool_call_id: { type: 'string', description: 'The call that a `tool` message answers' },
  },
};

const Messages = () =>
  z
    .custom<Message[]>((value) => value !== undefined, 'is required')
    .check(
      z.superRefine((value, context) => {
        const list: unknown = value;
        const add = ({ path, message }: Issue) => context.addIssue({ code: 'custom', path, message, input: value });
        if (list === undefined) return;
        if (!Array.isArray(list)) return add({ path: [], message: 'must be an array' });
        if (list.length === 0) return add({ path: [], message: 'must not be empty' });
        for (const [index, message] of list.entries()) {
          const wrong = findMessageProblem(message);
          if (wrong) return add({ path: [index, ...wrong.path], message: wrong.message });
        }
      }),
    )
    .register(z.globalRegistry, { openApiOverride: { type: 'array', minItems: 1, items: MESSAGE_SCHEMA } });

const tokens = () =>
  describe(
    z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(10_000_000)))),
    'Output limit in tokens; on AI credits the larger of the two is sent',
  );

const FIELDS_NOTE =
  'With your own provider key, all fields of the provider pass. On AI credits a request is made of text, pictures and these ' +
  `fields, whose cost is known: ${CREDIT_FIELDS.join(', ')}. Others that are known to cost more are 400, and all others are ignored and named in ` +
  '`X-Ignored-Parameters`. ' +
  `Requests to \`anthropic/…\` models are translated: of their fields, only ${TRANSLATED_FIELDS.join(', ')} have an effect, of their messages only role, text and pictures. ` +
  `All others (${IGNORED_FIELDS.anthropic?.map((field) => `\`${field}\``).join(', ')}, …) are ignored and named in \`X-Ignored-Parameters\`.`;

/**
 * The fields of a request that the gateway reads. With the caller's own provider key, other fields pass through to
 * providers that speak this format; on credits, those of `credit-fields.ts` do.
 */
export const ChatRequest = memoize(() =>
  describe(
    z.looseObject({
      model: z.string().check(z.regex(/^[^/\s]+\/\S+$/, 'must be <provider>/<model>'), z.maxLength(256)),
      messages: Messages(),
      max_tokens: tokens(),
      max_completion_tokens: tokens(),
      n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(128)))),
      stream: z.optional(z.nullable(z.boolean())),
      stream_options: z.optional(
        z.nullable(
          z
            .looseObject({})
            .check(z.refine((options) => !isDeeperThan(options, MAX_DEPTH), 'must not be nested so deep')),
        ),
      ),
      stop: z.optional(
        z.nullable(
          z
            .custom<string | string[]>(
              (value) => [value].flat().every((each) => typeof each === 'string'),
              'must be a string or an array of strings',
            )
            .register(z.globalRegistry, {
              openApiOverride: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
            }),
        ),
      ),
    }),
    FIELDS_NOTE,
  ),
);
export type ChatRequest = z.output<ReturnType<typeof ChatRequest>>;

/** Specification, AI gateway: the answer that is not streamed; `total_tokens` is the other two together. */
export const ChatCompletion = resource('ChatCompletion', () =>
  z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.string(), content: z.nullable(z.string()) }),
        finish_reason: z.string(),
      }),
    ),
    usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
  }),
);

/** Specification, AI gateway, Streaming: the data of one server-sent event. */
export const ChatCompletionChunk = resource('ChatCompletionChunk', () =>
  z.looseObject({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        delta: z.looseObject({ role: z.optional(z.string()), content: z.optional(z.nullable(z.string())) }),
        finish_reason: z.optional(z.nullable(z.string())),
      }),
    ),
    usage: describe(
      z.optional(
        z.nullable(z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })),
      ),
      'In the final chunk',
    ),
  }),
);

/** Answered by the streaming function, not by the HTTP API: as JSON, or as server-sent events with `stream: true`. */
export const createChatCompletion = /* @__PURE__ */ route({
  id: 'createChatCompletion',
  method: 'POST',
  path: '/ai/v1/chat/completions',
  access: 'ai',
  right: 'develop',
  audit: { because: 'the ledger of AI credits has an entry of each call' },
  summary: 'Complete a chat with a model of any provider; `stream: true` answers with server-sent events',
  tag: 'AI gateway',
  body: ChatRequest,
  response: ChatCompletion,
});
