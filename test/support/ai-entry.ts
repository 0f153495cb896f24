import type { AiEntry } from '../../table/entities/ai.ts';

/** Returns an entry of the AI ledger of one micro-rand, as the table has it. */
export const purchaseEntry = (accountId: string, id: string): AiEntry => ({
  id,
  accountId,
  requestId: null,
  type: 'PURCHASE',
  model: null,
  price: null,
  estimated: false,
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  amountMicroRand: 1,
  createdAt: '2026-11-22T00:00:00.000Z',
});
