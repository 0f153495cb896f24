import { test } from 'vitest';
import { failing } from './conditions.ts';
import { POINTER } from './visitor.ts';
import { walkAll } from './walk.ts';

test('every way is walked on a phone, while the API fails and the connection is lost', async () => {
  await walkAll({ size: 'phone', input: () => POINTER, conditions: failing });
}, 600_000);
