import * as z from 'zod/mini';
import { Invoice } from '../billing/invoices.ts';
import { Deleted, Id, Money, Page, single, wholeList, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';
import { AiCredits, AiProvider, AiUsage, BuyCreditsInput, ProviderKeyInput } from './gateway.ts';

/** The maximum number of days of usage that one request can read, including today. */
const MAX_USAGE_DAYS = 90;

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
  summary: 'Read the cost of your calls on AI credits by day, key and model, oldest day first',
  tag,
  query: () =>
    z.object({
      days: wholeNumber('Number of days, including today', 1, MAX_USAGE_DAYS, 30),
    }),
  response: () => wholeList(AiUsage()),
});

export const buyAiCredits = /* @__PURE__ */ route({
  id: 'buyAiCredits',
  method: 'POST',
  path: '/dashboard/v1/ai/credits',
  right: 'pay',
  access,
  audit: 'ai-credits.bought',
  stoppedBy: ['credits'],
  summary: 'Buy AI credits from your wallet: R10.00 of credits cost R10.00, including VAT',
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
  summary: 'List the AI providers, and the keys that you have saved for them',
  tag,
  response: () => wholeList(AiProvider()),
});

export const putProviderKey = /* @__PURE__ */ route({
  id: 'putProviderKey',
  method: 'PUT',
  path: '/dashboard/v1/ai/providers/{id}',
  right: 'develop',
  access,
  audit: 'provider-key.saved',
  summary: 'Save your own key for a provider. All further calls to the provider use it',
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
  summary: 'Delete your own key for a provider. Further calls are billed from credits',
  tag,
  params: Id,
  response: Deleted,
});
