import { expect, test } from 'vitest';
import { OfferInput } from '../ai/models.ts';
import { ReleaseInput } from '../processes/quarantine.ts';
import { SuspensionInput } from '../processes/suspension.ts';
import { readByHand } from './by-hand.ts';

const reason = 'Case 4711.';

test('the reason is apart from an input that has none, and part of one that has', () => {
  expect(readByHand(OfferInput(), { models: [], reason })).toEqual({ input: { models: [] }, reason });
  expect(readByHand(OfferInput(), {})).toEqual({ input: {} });
  expect(readByHand(ReleaseInput, { queue: 'HOSTING', reason })).toEqual({ input: { queue: 'HOSTING' }, reason });
  const suspension = { accountId: 'acc_1', reason };
  expect(readByHand(SuspensionInput(), suspension)).toEqual({ input: suspension, reason });
  const lifted = { accountId: 'acc_1', reason: null };
  expect(readByHand(SuspensionInput(), lifted)).toEqual({ input: lifted });
});

test('a misspelt field is refused, not ignored', () => {
  expect(() => readByHand(OfferInput(), { model: [] })).toThrow('The input has no field model.');
  expect(() => readByHand(SuspensionInput(), { accountId: 'acc_1', reason, appId: 'app_1' })).toThrow('appId');
});
