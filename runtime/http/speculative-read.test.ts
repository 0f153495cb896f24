import { expect, test } from 'vitest';
import type { Caller, Session } from '../../domain/deps.ts';
import type { Identity } from './identify.ts';
import { withSpeculativeRead } from './speculative-read.ts';

const caller = (accountId: string, keyId = 'key_1'): Caller => ({ accountId, keyId });
const identity = (of: Caller): Identity => ({
  caller: of,
  quota: {
    limit: 120,
    remaining: 119,
    reset: 0,
    retryAfter: undefined,
    fullAt: undefined,
    stale: [],
    staleLimitReached: false,
  },
});

const OPERATOR: Session = {
  subject: 'sub_1',
  key: 'session',
  expiresAtEpoch: 0,
  isOperator: true,
  readProfile: () => Promise.reject(new Error('not read')),
};

/** Reads for a caller and records for whom. */
function reader() {
  const readFor: Caller[] = [];
  const read = async (of: Caller) => {
    readFor.push(of);
    return of.accountId;
  };
  return { readFor, read };
}

const seen = (sender: string, of: Caller) => withSpeculativeRead(sender, Promise.resolve(identity(of)), async () => '');

test('reads nothing for a sender that was never authenticated', async () => {
  const { readFor, read } = reader();
  const { output } = await withSpeculativeRead('new', Promise.resolve(identity(caller('acc_1'))), read);
  expect([output, readFor]).toEqual([undefined, []]);
});

test('reads for a recently authenticated sender before the authentication has ended', async () => {
  const { readFor, read } = reader();
  await seen('recent', caller('acc_1'));
  const identification = Promise.withResolvers<Identity>();
  const reading = withSpeculativeRead('recent', identification.promise, read);
  expect(readFor).toEqual([caller('acc_1')]);
  identification.resolve(identity(caller('acc_1')));
  const { output, caller: identified } = await reading;
  expect([await output, identified]).toEqual(['acc_1', caller('acc_1')]);
});

test.each([
  ['account', caller('acc_2')],
  ['key', caller('acc_1', 'key_2')],
  ['role', { ...caller('acc_1'), role: 'read-only' as const }],
  ['email address', { ...caller('acc_1'), email: 'new@example.com' }],
  ['role on the platform', { ...caller('acc_1'), session: OPERATOR }],
])('drops what was read for another %s', async (_what, other) => {
  const { read } = reader();
  await seen('moved', caller('acc_1'));
  const { output } = await withSpeculativeRead('moved', Promise.resolve(identity(other)), read);
  expect(output).toBeUndefined();
});

test('throws the refusal, and reads nothing for a refused sender until it is authenticated again', async () => {
  const { readFor, read } = reader();
  await seen('revoked', caller('acc_1'));
  const refused = () => Promise.reject(new Error('revoked'));
  await expect(withSpeculativeRead('revoked', refused(), read)).rejects.toThrow('revoked');
  await expect(withSpeculativeRead('revoked', refused(), read)).rejects.toThrow('revoked');
  expect(readFor).toHaveLength(1);
});

test('a failed read is reported to the identified caller', async () => {
  await seen('failing', caller('acc_1'));
  const failing = () => Promise.reject(new Error('not found'));
  const { output } = await withSpeculativeRead('failing', Promise.resolve(identity(caller('acc_1'))), failing);
  await expect(output).rejects.toThrow('not found');
});

test('a failed read of a refused sender is reported to no one', async () => {
  await seen('both', caller('acc_1'));
  const failing = () => Promise.reject(new Error('not found'));
  await expect(withSpeculativeRead('both', Promise.reject(new Error('expired')), failing)).rejects.toThrow('expired');
});
