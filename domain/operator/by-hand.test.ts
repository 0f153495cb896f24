import { expect, test } from 'vitest';
import { simulation } from '../../test/simulation/simulation.ts';
import { OfferInput } from '../ai/models.ts';
import { ReleaseInput } from '../processes/quarantine.ts';

import { readByHand } from './by-hand.ts';
import { SuspensionByHand, suspendByHand } from './suspensions.ts';

const reason = 'Case 4711.';

test('the reason is apart from an input that has none, and part of one that has', () => {
  expect(readByHand(OfferInput(), { models: [], reason })).toEqual({ input: { models: [] }, reason });
  expect(readByHand(OfferInput(), {})).toEqual({ input: {} });
  expect(readByHand(ReleaseInput, { queue: 'HOSTING', reason })).toEqual({ input: { queue: 'HOSTING' }, reason });
  const suspension = { accountId: 'acc_1', reason };
  expect(readByHand(SuspensionByHand(), suspension)).toEqual({ input: suspension, reason });
  const lifted = { accountId: 'acc_1', reason: null };
  expect(readByHand(SuspensionByHand(), lifted)).toEqual({ input: lifted });
});

test('a misspelt field is refused, not ignored', () => {
  expect(() => readByHand(OfferInput(), { model: [] })).toThrow('The input has no field model.');
  expect(() => readByHand(SuspensionByHand(), { accountId: 'acc_1', reason, appId: 'app_1' })).toThrow('appId');
});

test('more than one part of an account is refused', async () => {
  const both = suspendByHand(simulation().steady.deps, {
    accountId: 'acc_1',
    keyId: 'key_1',
    endpointId: 'whk_1',
    reason,
  });
  await expect(both).rejects.toThrow('at most one of them');
});
