import { expect, test } from 'vitest';
import { SWITCH_NAMES } from '../../contract/switches/switches.ts';
import { stateOf } from './switch-state.ts';

test('read-only mode is on while changes are off, and every other part is off while it is off', () => {
  expect(SWITCH_NAMES.filter((name) => stateOf(name, true) === 'On')).toEqual(['read-only']);
  expect(SWITCH_NAMES.filter((name) => stateOf(name, false) === 'Off')).toEqual(['read-only']);
});
