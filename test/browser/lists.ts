import type { BrowserContext } from 'playwright-core';

export const AT = '2026-01-31T09:30:00.000Z';
/** Items of a list that {@link serveList} serves. */
export const COUNT = 230;

/** Serves a list of {@link COUNT} in pages, like the API; `wrapped` builds the response of a page. */
export async function serveList(
  context: BrowserContext,
  path: string,
  item: (n: number) => object,
  wrapped = (data: object[], has_more: boolean): object => ({ data, has_more }),
): Promise<void> {
  await context.route(
    (url) => url.pathname.endsWith(`/dashboard/v1${path}`),
    async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [limit, cursor] = [Number(query.get('limit') ?? 50), query.get('cursor')];
      const start = cursor === null ? 0 : Number(cursor.slice('id_'.length)) + 1;
      const length = Math.max(0, Math.min(limit, COUNT - start));
      const data = Array.from({ length }, (_, n) => ({ id: `id_${start + n}`, createdAt: AT, ...item(start + n) }));
      await route.fulfill({ json: wrapped(data, start + limit < COUNT) });
    },
  );
}

export const apiKey = {
  scopes: ['read'],
  allowedOrigins: ['*'],
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  publicKey: 'pk_of_a_key',
  lastFour: 'abcd',
  createdBy: null,
  aiBudget: null,
  aiSpent: '0.00',
};

/** An entry of the AI usage history. */
export const call = {
  type: 'CALL',
  requestId: 'r',
  inputTokens: 1,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 1,
  model: 'some/model',
  amountMicroRand: -1_000_000,
};

/** Wraps a page of the AI usage history. */
export const credits = (entries: object[], has_more: boolean) => ({
  data: { balance: '1.00', available: '1.00', balanceMicroRand: 1_000_000, entries, has_more },
});
