import * as z from 'zod/mini';
import { AI_ENTRY_TYPES } from '../enums.ts';
import { Amount, describe, Money, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** Specification, Resources: AI model. */
export const AiModel = resource('AiModel', () =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    credits: z.boolean(),
    pricing_zar_per_million: z.object({ input: Money(), output: Money() }),
    // Dearer prices of the whole call, where its prompt has more tokens.
    pricing_steps: z.optional(z.array(z.object({ above_prompt_tokens: z.int(), input: Money(), output: Money() }))),
  }),
);

export const listModels = /* @__PURE__ */ route({
  id: 'listModels',
  method: 'GET',
  path: '/ai/v1/models',
  access: 'catalogue',
  right: 'member',
  summary: 'List the models sold on credits, and the providers that take your own key',
  tag: 'AI gateway',
  response: () =>
    z.object({
      object: z.literal('list'),
      data: z.array(AiModel()),
      byok_providers: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
  uses: ['models'],
});

/** A model's id as clients send it: with its slash as it is, or encoded (`openai%2Fgpt-5`, as OpenAI's client does). */
const ModelId = () =>
  z.object({
    id: z
      .pipe(
        z.string().check(z.maxLength(256)),
        z.transform((id) => id.replace(/%2f/gi, '/')),
      )
      .register(z.globalRegistry, {
        openApiOverride: { type: 'string', description: '`<provider>/<model>`', examples: ['openai/gpt-4o-mini'] },
      }),
  });

export const getModel = /* @__PURE__ */ route({
  id: 'getModel',
  method: 'GET',
  // Greedy, because an id has slashes.
  path: '/ai/v1/models/{id+}',
  access: 'any',
  right: 'member',
  summary: 'Read a model sold on credits',
  tag: 'AI gateway',
  params: ModelId,
  response: AiModel,
  uses: ['models'],
});

/** An entry of the ledger of AI credits (design, AI gateway). */
export const AiEntry = resource('AiEntry', () =>
  z.object({
    id: z.string(),
    requestId: z.nullable(z.string()),
    type: z.enum(AI_ENTRY_TYPES),
    model: z.nullable(z.string()),
    inputTokens: z.int(),
    cachedTokens: z.int(),
    cacheWriteTokens: z.int(),
    outputTokens: z.int(),
    amountMicroRand: z.int(),
    createdAt: Timestamp(),
  }),
);

export const AiCredits = resource('AiCredits', () =>
  z.object({
    balance: Money(),
    balanceMicroRand: z.int(),
    available: Money(),
    availableMicroRand: z.int(),
    // Owed for a call that cost more than was left; the next purchase pays it.
    debt: Money(),
    debtMicroRand: z.int(),
    entries: z.array(AiEntry()),
    has_more: z.boolean(),
  }),
);

/** Calls on AI credits of one day, with one key, to one model. */
export const AiUsage = resource('AiUsage', () =>
  z.object({
    day: z.string().register(z.globalRegistry, { description: 'In UTC', examples: ['2026-11-22'] }),
    keyId: describe(z.nullable(z.string()), 'Null for calls in the dashboard'),
    keyName: z.nullable(z.string()),
    model: z.string(),
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    amountMicroRand: z.int(),
  }),
);

/** A saved provider key as it may be shown. */
export const AiProvider = resource('AiProvider', () =>
  z.object({ id: z.string(), name: z.string(), saved: z.boolean(), lastFour: z.nullable(z.string()) }),
);

/** The body of `PUT /dashboard/v1/ai/providers/{id}`. A key is visible ASCII, because it is sent in a header. */
export const ProviderKeyInput = () =>
  z.object({
    key: z.string().check(z.trim(), z.minLength(8), z.maxLength(512), z.regex(/^[\x21-\x7e]+$/, 'must be a key')),
  });

/** The body of `POST /dashboard/v1/ai/credits`: rand from the wallet, at least one. */
export const BuyCreditsInput = () =>
  z.object({
    amount: Amount(1, 999_999.99),
  });
