import { test } from 'vitest';
import { slow } from './conditions.ts';
import { keyboardOf } from './keyboard.ts';
import { walkAll } from './walk.ts';

test('every way is walked at a desk, with the keyboard alone, in the dark, while the API is slow', async () => {
  await walkAll({ size: 'desk', dark: true, input: keyboardOf, conditions: slow });
}, 600_000);
