import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { fromText, toText } from './log-lines.ts';

test('a line that is longer than a page is cut between characters', () => {
  // Neither compresses: each is larger than a page alone.
  const [before, after] = [149_999, 300_000].map((size) => randomBytes(size).toString('base64').slice(0, size));
  const line = { id: '1-1', at: new Date(), text: `${before}🙂${after}`, requestId: null };
  expect(fromText(toText([line]).text)).toEqual([{ ...line, text: `${before} [… the rest is cut …]` }]);
});
