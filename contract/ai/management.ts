import * as z from 'zod/mini';
import { Invoice } from '../billing/invoices.ts';
import { Deleted, Id, Money, Page, single, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';
import { AiCredits, AiProvider, AiUsage, BuyCreditsInput, ProviderKeyInput } from './gateway.ts';

/** The longest time that one read of the usage covers, today included. */
export const MAX_USAGE_DAYS = 90;

const tag = 'AI gateway';
const access = 'login';

export const getAiCredits = /* @__PURE__ */ route({
  id: 'getAiCredits',
  method: 'GET',
  path: '/dashboard/v1/ai/credits',
  right: 'member',
  access,
  summary: 'Read your AI credits and a page of their ledger, newest first',
  tag,
  query: () => Page('aie'),
  response: () => single(AiCredits()),
});

export const getAiUsage = /* @__PURE__ */ route({
  id: 'getAiUsage',
  method: 'GET',
  path: '/dashboard/v1/ai/usage',
  right: 'member',
  access,
  summary: 'Read what your calls on AI credits cost, by day, key and model, oldest day first',
  tag,
  query: () =>
    z.object({
      days: wholeNumber('Number of days, today included', 1, MAX_USAGE_DAYS, 30),
    }),
  response: () => single(z.array(AiUsage())),
});

export const buyAiCredits = /* @__PURE__ */ route({
  id: 'buyAiCredits',
  method: 'POST',
  path: '/dashboard/v1/ai/credits',
  right: 'pay',
  access,
  audit: 'ai-credits.bought',
  stoppedBy: ['credits'],
  summary: 'Buy AI credits from your wallet: R10.00 of credits cost R10.00, VAT inside',
  tag,
  body: BuyCreditsInput,
  status: 201,
  response: () => single(z.extend(AiCredits(), { amount: Money(), invoice: Invoice() })),
});

export const listProviderKeys = /* @__PURE__ */ route({
  id: 'listProviderKeys',
  method: 'GET',
  path: '/dashboard/v1/ai/providers',
  right: 'member',
  access,
  summary: 'List the AI providers and which of them you have saved a key for',
  tag,
  response: () => z.object({ data: z.array(AiProvider()), has_more: z.literal(false) }),
});

export const putProviderKey = /* @__PURE__ */ route({
  id: 'putProviderKey',
  method: 'PUT',
  path: '/dashboard/v1/ai/providers/{id}',
  right: 'develop',
  access,
  audit: 'provider-key.saved',
  summary: 'Save your own key for a provider: from then on it is used for every call to it',
  tag,
  params: Id,
  body: ProviderKeyInput,
  response: () => single(AiProvider()),
  uses: ['provider-keys'],
});

export const deleteProviderKey = /* @__PURE__ */ route({
  id: 'deleteProviderKey',
  method: 'DELETE',
  path: '/dashboard/v1/ai/providers/{id}',
  right: 'develop',
  access,
  audit: 'provider-key.deleted',
  summary: 'Delete your own key for a provider; calls are then billed from credits',
  tag,
  params: Id,
  response: Deleted,
});
