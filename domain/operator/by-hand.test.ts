import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { NewAccountInput } from '../accounts/accounts.ts';
import { OfferInput } from '../ai/models.ts';
import { ReleaseInput } from '../processes/quarantine.ts';

import { readByHand } from './by-hand.ts';
import { SuspensionByHand, suspendByHand } from './suspensions.ts';

const reason = 'Case 4711.';
const plan = { slug: 'app-1', name: 'App 1', appLimit: 1 };

test('the reason is apart from an input that has none, and part of one that has', () => {
  expect(readByHand(OfferInput(), { models: [], reason })).toEqual({ input: { models: [] }, reason });
  expect(readByHand(OfferInput(), {})).toEqual({ input: {} });
  expect(readByHand(ReleaseInput, { queue: 'HOSTING', reason })).toEqual({ input: { queue: 'HOSTING' }, reason });
  const suspension = { accountId: 'acc_1', reason };
  expect(readByHand(SuspensionByHand(), suspension)).toEqual({ input: suspension, reason });
  const lifted = { accountId: 'acc_1', reason: null };
  expect(readByHand(SuspensionByHand(), lifted)).toEqual({ input: lifted });
});

test('a misspelt field is refused in the words of the API, not ignored', () => {
  const unknown = (field: string) => new ApiError('invalid_request', `${field}: is no field of this operation`);
  expect(() => readByHand(OfferInput(), { model: [] })).toThrow(unknown('model'));
  const suspension = { accountId: 'acc_1', reason, appId: 'app_1' };
  expect(() => readByHand(SuspensionByHand(), suspension)).toThrow(unknown('appId'));
});

test.each<[unknown, string]>([
  [undefined, 'input: is required'],
  [[], 'input: must be an object'],
  [{}, 'email: is required'],
  [{ email: 'x', name: 'n', plan }, 'email: must be an email address'],
  [{ email: 'a@b.example', name: '', plan }, 'name: must have at least 1 character'],
  [{ email: 'a@b.example', name: 'n', plan: { ...plan, appLimit: -1 } }, 'plan.appLimit: must be at least 0'],
  [{ email: 'a@b.example', name: 'n', plan, reason: 5 }, 'reason: must be a string'],
])('an invalid input is refused in the words of the API: %j', (event, message) => {
  expect(() => readByHand(NewAccountInput, event)).toThrow(new ApiError('invalid_request', message));
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
