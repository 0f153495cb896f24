import { expect, test } from 'vitest';
import { readPage } from './pages.ts';

/** Items from 1 on behind a cursor, newest first. */
async function* items(count: number, after = 0) {
  for (let id = after + 1; id <= count; id += 1) yield { id: String(id) };
}

test('following a filtered list finds each match once, however many items its filter excludes', async () => {
  const filter = { isWanted: ({ id }: { id: string }) => Number(id) % 90 === 5, maxRead: 20 };
  const found: string[] = [];
  let after: string | undefined;
  for (let isMore = true; isMore; ) {
    const page = await readPage(items(500, Number(after ?? 0)), { limit: 2, offset: 0 }, filter);
    found.push(...page.items.map(({ id }) => id));
    after = page.cursor ?? page.items.at(-1)?.id;
    isMore = page.hasMore;
  }
  expect(found).toEqual(['5', '95', '185', '275', '365', '455']);
});

test('a full page has no cursor other than its last item', async () => {
  const page = await readPage(items(5), { limit: 2, offset: 1 }, { isWanted: () => true, maxRead: 20 });
  expect(page).toEqual({ items: [{ id: '2' }, { id: '3' }], hasMore: true });
});

test('an offset beyond the maximum that one request reads is refused', async () => {
  const page = readPage(items(100), { limit: 2, offset: 1 }, { isWanted: () => false, maxRead: 20 });
  await expect(page).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('offset: ') });
});
