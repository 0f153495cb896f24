import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Collections of whole processes that are no caches, with the reason for which they stay small. */
const BOUNDED: Record<string, string> = {
  'runtime/config.ts endpoints': 'one entry for each service and region that a function calls',
};

test('the data that a warm instance keeps, secrets above all, is in the one cache, which evicts the least recently used entry', () => {
  const sources = globSync('{domain,events,functions,providers,runtime}/**/*.ts', { exclude: ['**/*.test.ts'] });
  expect(sources.length).toBeGreaterThan(200);
  const found = sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:export )?(?:const|let|var) (\w+)\b[^=\n]*= new (?:Weak)?Map\b/gm)].map(
      ([, name]) => `${file} ${name}`,
    ),
  );
  expect(found.sort()).toEqual(Object.keys(BOUNDED).sort());
});
