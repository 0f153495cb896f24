import * as z from 'zod/mini';
import { FlagChange } from '../../contract/operator/flags.ts';
import { FLAG_NAMES } from '../../contract/switches/flags.ts';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/deps.ts';
import { listFlags, setFlag } from '../../domain/operator/flags.ts';

interface Options {
  reason?: string | undefined;
  share?: string | undefined;
  account?: string | undefined;
  on?: string | undefined;
  owner?: string | undefined;
  ends?: string | undefined;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, false: false };

/**
 * Lists the feature flags, sets one, or ends what operators said about one: it is its default for all accounts, and has its first owner and end.
 * Throws for what the operation of the API refuses.
 */
export async function operateFlags(
  base: Deps,
  [act, given]: readonly (string | undefined)[],
  { reason = '', share, account, on, owner, ends }: Options,
) {
  if (act === undefined || act === 'list') return (await listFlags(base)).data;
  const deps = { ...base, commit: committing(base, { ...BY_OPERATOR, reason }) };
  const caller = { accountId: '', keyId: '' };
  const set = async (change: object) => {
    const input = { name: z.enum(FLAG_NAMES).parse(given), ...FlagChange().parse({ reason, ...change }) };
    return [(await setFlag(deps, caller, input)).data];
  };
  if (act === 'set') {
    const ofAccount = account === undefined ? {} : { accountId: account, on: BOOLEANS[on ?? ''] };
    const ofAll = share === undefined ? {} : { share: Number(share) };
    return await set({ ...ofAccount, ...ofAll, ...(owner ? { owner } : {}), ...(ends ? { ends } : {}) });
  }
  if (act !== 'end') throw new Error('flag: list, set or end');
  for (const { accounts } of await set({ share: null, owner: null, ends: null }))
    for (const { accountId } of accounts) await set({ accountId, on: null });
  return (await listFlags(base)).data.filter(({ name }) => name === given);
}
