import * as z from 'zod/mini';
import { describe, filteredList, Page, resource, single, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';

/** The number of days for which calls are stored and statistics are available. */
export const AI_CALL_DAYS = 30;

/** One call to a model, without the text of its prompt or response. */
const AiCall = resource('AiCall', () =>
  z.object({
    id: z.string(),
    requestId: describe(z.string(), '`X-Request-Id` of the response'),
    createdAt: Timestamp(),
    model: z.string(),
    provider: z.nullable(z.string()),
    keyId: describe(z.nullable(z.string()), 'Null for calls in the dashboard'),
    ownKey: describe(z.boolean(), 'True if your own provider key was used instead of AI credits'),
    status: z.int(),
    code: z.nullable(z.string()),
    inputTokens: z.int(),
    outputTokens: z.int(),
    amountMicroRand: z.int(),
    durationMs: z.int(),
    firstByteMs: z.nullable(z.int()),
  }),
);

/** Latency and errors of the calls to a provider. */
const AiProviderStats = resource('AiProviderStats', () =>
  z.object({
    provider: z.string(),
    calls: z.int(),
    failed: z.int(),
    p50Ms: z.int(),
    p95Ms: z.int(),
    firstByteP50Ms: z.nullable(z.int()),
  }),
);

const tag = 'AI gateway';
const access = 'login';

export const listAiCalls = /* @__PURE__ */ route({
  id: 'listAiCalls',
  method: 'GET',
  path: '/dashboard/v1/ai/calls',
  right: 'member',
  access,
  summary: 'List your calls to models in the last 30 days, newest first, without prompts and responses',
  tag,
  query: () =>
    z.extend(Page('aic'), {
      model: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
      failed: z.optional(z.enum(['true', 'false'])),
    }),
  response: () => filteredList(AiCall()),
});

export const getAiProviderStats = /* @__PURE__ */ route({
  id: 'getAiProviderStats',
  method: 'GET',
  path: '/dashboard/v1/ai/provider-stats',
  right: 'member',
  access,
  summary: 'Read the latency and errors of your calls by provider',
  tag,
  query: () => z.object({ days: wholeNumber('Number of days', 1, AI_CALL_DAYS, 7) }),
  response: () =>
    single(
      z.object({
        providers: z.array(AiProviderStats()),
        complete: describe(
          z.boolean(),
          'False if there were more calls than one request reads; only the newest are counted then',
        ),
      }),
    ),
});
