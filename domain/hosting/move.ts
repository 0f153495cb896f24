import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingServer } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { ensureAccount, HostingInput } from './accounts.ts';
import { notRemoved, sameAccount } from './removal.ts';
import { sharersOf } from './shared-accounts.ts';

/**
 * For operators: records that a subscription's account was moved manually to another server. Throws 404 for an unknown server or hosting
 * account.
 */
export async function moveHosting(deps: Deps, { server, ...ids }: AccountScopedId & { server: string }): Promise<void> {
  await retryRequest(async () => {
    const [known, subscription] = await Promise.all([
      deps.table.get(HostingServer, { name: server }),
      deps.table.get(Subscription, ids),
    ]);
    if (!known) throw new ApiError('not_found', `Hosting server ${server} not found.`);
    if (!subscription || subscription.plan.category === 'APP') throw new ApiError('not_found', 'Hosting not found.');
    const { account: before, sharing } = await ensureAccount(deps, subscription);
    if (!before || before.status === 'REMOVED')
      throw new ApiError('not_found', 'The hosting has ended, and its account is removed.');
    const moved = [before, ...sharersOf(before, sharing).map((each) => each.account)];
    const set = { server, ...schedule(HostingAccount, deps.now()) };
    const about = { action: 'hosting.moved', accountId: ids.accountId, subjectId: ids.id } as const;
    const writes = moved.map((each) =>
      change(HostingAccount, each, { set, when: { ...sameAccount(each), ...notRemoved } }, concurrentUpdate),
    );
    await deps.commit(writes, undefined, { ...about, before, after: { server } });
  });
}

export const MoveHostingInput = z.extend(HostingInput, { server: z.string() });
