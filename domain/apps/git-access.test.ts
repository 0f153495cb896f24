import { expect, test } from 'vitest';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { GitAccess } from '../../table/entities/apps.ts';
import { create } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { newGitAccess, openHookSecret, rotateDeployKey, rotateGitHook } from './git-access.ts';

/** Stores the plaintext together with its encryption context. */
const secrets: Secrets = {
  seal: async (context, plaintext) => ({ wrappedKey: JSON.stringify(context), iv: '', ciphertext: plaintext }),
  unseal: async (context, { wrappedKey, ciphertext }) => {
    expect(wrappedKey).toBe(JSON.stringify(context));
    return ciphertext;
  },
};

async function world() {
  const { memory, deps, ids, caller } = await deploymentSimulation();
  const before = await newGitAccess({ secrets }, ids);
  await memory.table.transact([create(GitAccess, before)]);
  const known = async () => {
    const found = await memory.table.get(GitAccess, { applicationId: ids.applicationId });
    if (!found) throw new Error('nothing is known any more');
    return found;
  };
  return { before, known, input: { id: ids.applicationId }, deps: { ...deps, secrets }, caller };
}

test('of two concurrent rotations of the webhook secret one succeeds, and its secret is stored', async () => {
  const { deps, caller, input, known, before } = await world();
  const outcomes = await Promise.allSettled([1, 2].map(() => rotateGitHook(deps, caller, input)));
  const [made, ...more] = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.data] : []));
  expect(more).toEqual([]);
  expect(outcomes).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ code: 'conflict' }) });
  const after = await known();
  expect(await openHookSecret(deps, after)).toBe(made?.secret);
  expect(after).toEqual({ ...before, hookSecret: after.hookSecret });
});

test('of two concurrent rotations of the deploy key one succeeds, with both its halves', async () => {
  const { deps, caller, input, known, before } = await world();
  const outcomes = await Promise.allSettled([1, 2].map(() => rotateDeployKey(deps, caller, input)));
  const made = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value.data] : []));
  const { publicKey, privateKey, ...rest } = await known();
  expect(made).toEqual([{ publicKey }]);
  expect(privateKey).not.toEqual(before.privateKey);
  expect(rest).toEqual({
    applicationId: before.applicationId,
    accountId: before.accountId,
    hookSecret: before.hookSecret,
  });
});
