import * as z from 'zod/mini';
import { AI_ENTRY_TYPES } from '../enums.ts';
import { Amount, describe, Money, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** An AI model (specification, Resources: AI model). */
const AiModel = resource('AiModel', () =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    name: z.string(),
    credits: z.boolean(),
    pricing_zar_per_million: z.object({ input: Money(), output: Money() }),
    // Higher prices for the whole call, if its prompt has more tokens than the step's limit.
    pricing_steps: z.optional(z.array(z.object({ above_prompt_tokens: z.int(), input: Money(), output: Money() }))),
  }),
);

export const listModels = /* @__PURE__ */ route({
  id: 'listModels',
  method: 'GET',
  path: '/ai/v1/models',
  access: 'catalogue',
  right: 'member',
  summary: 'List the models available on AI credits, and the providers that accept your own key',
  tag: 'AI gateway',
  response: () =>
    z.object({
      object: z.literal('list'),
      data: z.array(AiModel()),
      byok_providers: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
  uses: ['models'],
});

/** The id of a model in a path. Its slash may be encoded (`openai%2Fgpt-5`), as OpenAI's client sends it. */
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
  // A greedy parameter, because an id contains slashes.
  path: '/ai/v1/models/{id+}',
  access: 'any',
  right: 'member',
  summary: 'Read a model that is available on AI credits',
  tag: 'AI gateway',
  params: ModelId,
  response: AiModel,
  uses: ['models'],
});

/** An entry in the ledger of AI credits. */
const AiEntry = resource('AiEntry', () =>
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
    // The amount by which calls cost more than the remaining credits. The next purchase pays it.
    debt: Money(),
    debtMicroRand: z.int(),
    entries: z.array(AiEntry()),
    has_more: z.boolean(),
  }),
);

/** The calls on AI credits on one day, with one key, to one model. */
export const AiUsage = resource('AiUsage', () =>
  z.object({
    day: z.string().register(z.globalRegistry, { description: 'The day in UTC', examples: ['2026-11-22'] }),
    keyId: describe(z.nullable(z.string()), 'Null for calls in the dashboard'),
    keyName: z.nullable(z.string()),
    model: z.string(),
    calls: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    amountMicroRand: z.int(),
  }),
);

/** A provider, and the last four characters of the account's saved key for it. */
export const AiProvider = resource('AiProvider', () =>
  z.object({ id: z.string(), name: z.string(), saved: z.boolean(), lastFour: z.nullable(z.string()) }),
);

/** The body of `PUT /dashboard/v1/ai/providers/{id}`. A key is sent in a header and therefore must be printable ASCII. */
export const ProviderKeyInput = () =>
  z.object({
    key: z.string().check(z.trim(), z.minLength(8), z.maxLength(512), z.regex(/^[\x21-\x7e]+$/, 'must be a key')),
  });

/** The body of `POST /dashboard/v1/ai/credits`: the amount in rand, at least R1.00. */
export const BuyCreditsInput = () =>
  z.object({
    amount: Amount(1, 999_999.99),
  });
