import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEYS_WITH_RESERVE } from '../../contract/limits/limits.ts';
import { Account, ApiKey, apiKeysOf, Credential } from '../../table/entities/accounts.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { createKey, revokeKey } from './api-keys.ts';

const accountId = 'acc_1';
const caller = { accountId, keyId: '', login: true as const };
const input = { name: 'key', scopes: [], allowedOrigins: [], expiresAt: null, aiBudget: null };

test('keys that are created and revoked in any order, concurrently or not, are counted; only the first few have a reserve', async () => {
  const step = fc.record({ creates: fc.nat(4), revokes: fc.array(fc.nat(8), { maxLength: 3 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const { deps } = simulation({ startAt: 0 }).steady;
      await deps.table.transact([newSimulatedAccount(accountId, { keyCount: 0 })]);
      const live = async () => {
        const { items } = await deps.table.list(ApiKey, apiKeysOf(accountId), { limit: 100, offset: 0 });
        return items.filter(({ revokedAt }) => revokedAt === null);
      };
      const reserves = async () => {
        const halves = (await live()).flatMap(({ hashes }) => [hashes.secret, hashes.public]);
        const found = await Promise.all(halves.map((hash) => deps.table.get(Credential, { hash })));
        return found.filter((each) => each?.hasReserve).length;
      };
      for (const { creates, revokes } of steps) {
        const keys = await live();
        const revoked = revokes.flatMap((index) => keys[index]?.id ?? []);
        await Promise.all([
          ...Array.from({ length: creates }, () => createKey(deps, caller, input)),
          ...revoked.map((id) => revokeKey(deps, caller, { id })),
        ]);
        const count = (await live()).length;
        expect(await deps.table.get(Account, { id: accountId })).toMatchObject({ keyCount: count });
        expect(await reserves()).toBeLessThanOrEqual(2 * KEYS_WITH_RESERVE);
        if (revoked.length === 0 && count <= KEYS_WITH_RESERVE && steps.every((each) => each.revokes.length === 0))
          expect(await reserves()).toBe(2 * count);
      }
    }),
    { numRuns: 40 },
  );
});
