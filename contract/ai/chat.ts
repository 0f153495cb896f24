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

/** Fields that callers expect to work and that the models of a provider ignore, by provider. */
export const IGNORED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['temperature', 'top_p', 'tools', 'response_format', 'n'],
};

/**
 * The maximum size of a chat body in bytes. Lambda has the same limit for the whole event, which holds the body
 * as a JSON string or, for media types other than text and JSON, in base64. Lambda therefore refuses some smaller bodies itself,
 * with 413 (docs/decisions/0012-ai-gateway.md).
 */
export const MAX_CHAT_BODY_BYTES = 6 * 1024 * 1024;

/** The roles of the specification, and those that are passed to providers that support them. */
const ROLES = ['system', 'user', 'assistant', 'developer', 'tool', 'function'] as const;
export type Role = (typeof ROLES)[number];

/** One part of a message's content. Parts of other types are passed to the provider. */
export interface Part {
  type: string;
  text?: string;
  image_url?: { url: string };
}

/** The fields of a message that the gateway reads. */
export interface Message {
  role: Role;
  content?: string | null | Part[];
}

/** The message about a value that could not be serialized again, which some providers' requests need. */
const TOO_DEEP = 'must not be nested so deeply';

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

/** Returns true for a message that may have no content: a function's, or an assistant's that only calls tools. */
const mayBeEmpty = ({ role, tool_calls, function_call, refusal, audio }: Record<string, unknown>) =>
  role === 'function' || (role === 'assistant' && [tool_calls, function_call, refusal, audio].some(Boolean));

function findMessageProblem(message: unknown): Issue | undefined {
  if (!isObject(message)) return { path: [], message: 'must be an object' };
  if (isDeeperThan(message, MAX_DEPTH)) return { path: [], message: TOO_DEEP };
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
    const problem = findPartProblem(part);
    if (problem) return { path: ['content', index, ...problem.path], message: problem.message };
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
      description: '`developer`, `tool` and `function` are passed to providers that support them',
    },
    content: {
      description: 'Text, or an array of text and image parts; null for an assistant message that only calls tools',
      anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: PART_SCHEMA }, { type: 'null' }],
    },
    name: { type: 'string' },
    tool_calls: { anyOf: [{ type: 'array', items: TOOL_CALL_SCHEMA }, { type: 'null' }] },
    tool_call_id: { type: 'string', description: 'The id of the call to which a `tool` message responds' },
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
          const problem = findMessageProblem(message);
          if (problem) return add({ path: [index, ...problem.path], message: problem.message });
        }
      }),
    )
    .register(z.globalRegistry, { openApiOverride: { type: 'array', minItems: 1, items: MESSAGE_SCHEMA } });

const tokens = () =>
  describe(
    z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(10_000_000)))),
    'Maximum number of output tokens. On AI credits, the larger of `max_tokens` and `max_completion_tokens` is sent.',
  );

const FIELDS_NOTE =
  'With your own provider key, every field that the provider supports is passed on. On AI credits, a request may contain text, images and these ' +
  `fields, whose cost is known: ${CREDIT_FIELDS.join(', ')}. Fields that are known to cost more are refused with 400. All others are ignored and named in ` +
  '`X-Ignored-Parameters`. ' +
  `Requests to \`anthropic/…\` models are translated: only the fields ${TRANSLATED_FIELDS.join(', ')} have an effect, and of the messages only role, text and images. ` +
  `All other fields (${IGNORED_FIELDS.anthropic?.map((field) => `\`${field}\``).join(', ')}, …) are ignored and named in \`X-Ignored-Parameters\`.`;

/**
 * The fields of a request that the gateway reads. With the caller's own provider key, all other fields are passed to
 * providers that use this format; on credits, only those in `credit-fields.ts` are.
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
        z.nullable(z.looseObject({}).check(z.refine((options) => !isDeeperThan(options, MAX_DEPTH), TOO_DEEP))),
      ),
      stop: z.optional(
        z.nullable(
          z
            .custom<string | string[]>(
              (value) => [value].flat().every((entry) => typeof entry === 'string'),
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

/** A response that is not streamed (specification, AI gateway). `total_tokens` is the sum of prompt and completion tokens. */
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

/** The data of one server-sent event (specification, AI gateway, Streaming). */
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
      'Only in the final chunk',
    ),
  }),
);

/** Served by the streaming function instead of the HTTP API, as JSON or, with `stream: true`, as server-sent events. */
export const createChatCompletion = /* @__PURE__ */ route({
  id: 'createChatCompletion',
  method: 'POST',
  path: '/ai/v1/chat/completions',
  access: 'ai',
  right: 'develop',
  audit: { because: 'the ledger of AI credits has an entry for each call' },
  summary: 'Create a chat completion with a model of any provider; `stream: true` returns server-sent events',
  tag: 'AI gateway',
  body: ChatRequest,
  response: ChatCompletion,
});
