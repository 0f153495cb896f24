import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { NewAccountInput } from '../accounts/accounts.ts';
import { OfferInput } from '../ai/models.ts';
import { ReleaseInput } from '../processes/quarantine.ts';

import { parseManualInput } from './manual-input.ts';
import { ManualSuspensionInput, suspendManually } from './suspensions.ts';

const reason = 'Case 4711.';
const plan = { slug: 'app-1', name: 'App 1', appLimit: 1 };

test('separates the reason from the input, unless the input has a reason field itself', () => {
  expect(parseManualInput(OfferInput(), { models: [], reason })).toEqual({ input: { models: [] }, reason });
  expect(parseManualInput(OfferInput(), {})).toEqual({ input: {} });
  expect(parseManualInput(ReleaseInput, { queue: 'HOSTING', reason })).toEqual({ input: { queue: 'HOSTING' }, reason });
  const suspension = { accountId: 'acc_1', reason };
  expect(parseManualInput(ManualSuspensionInput(), suspension)).toEqual({ input: suspension, reason });
  const lifted = { accountId: 'acc_1', reason: null };
  expect(parseManualInput(ManualSuspensionInput(), lifted)).toEqual({ input: lifted });
});

test('refuses a misspelled field in the wording of the API', () => {
  const unknown = (field: string) => new ApiError('invalid_request', `${field}: is not a field of this operation`);
  expect(() => parseManualInput(OfferInput(), { model: [] })).toThrow(unknown('model'));
  const suspension = { accountId: 'acc_1', reason, appId: 'app_1' };
  expect(() => parseManualInput(ManualSuspensionInput(), suspension)).toThrow(unknown('appId'));
});

test.each<[unknown, string]>([
  [undefined, 'input: is required'],
  [[], 'input: must be an object'],
  [{}, 'email: is required'],
  [{ email: 'x', name: 'n', plan }, 'email: must be an email address'],
  [{ email: 'a@b.example', name: '', plan }, 'name: must have at least 1 character'],
  [{ email: 'a@b.example', name: 'n', plan: { ...plan, appLimit: -1 } }, 'plan.appLimit: must be at least 0'],
  [{ email: 'a@b.example', name: 'n', plan, reason: 5 }, 'reason: must be a string'],
])('refuses an invalid input in the wording of the API: %j', (event, message) => {
  expect(() => parseManualInput(NewAccountInput, event)).toThrow(new ApiError('invalid_request', message));
});

test('refuses to suspend more than one part of an account in a call', async () => {
  const suspension = suspendManually(simulation().steady.deps, {
    accountId: 'acc_1',
    keyId: 'key_1',
    endpointId: 'whk_1',
    reason,
  });
  await expect(suspension).rejects.toThrow('at most one of them');
});
