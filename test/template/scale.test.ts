import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scalePage } from '../../bench/scale/page.ts';
import { countControlPlaneRequests } from '../../bench/scale/releases.ts';
import { RELEASE_REQUESTS } from '../../domain/deployments/release-pace.ts';

test('docs/scale.md is what npm run bench -- scale writes: no partition key is hotter than recorded', async () => {
  const recorded = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8');
  expect(await scalePage()).toBe(recorded);
});

test('the turns of releases count the requests that a release makes', async () => {
  expect(await countControlPlaneRequests()).toBe(RELEASE_REQUESTS);
});
