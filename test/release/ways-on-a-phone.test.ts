import { test } from 'vitest';
import { failing } from '../browser/ways/conditions.ts';
import { POINTER } from '../browser/ways/visitor.ts';
import { walkAll } from '../browser/ways/walk.ts';

test('every way is walked on a phone, while the API fails and the connection is lost', async () => {
  await walkAll({ size: 'phone', input: () => POINTER, conditions: failing });
}, 600_000);
