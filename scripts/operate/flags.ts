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
 * Lists the feature flags, sets one, or removes the operators' settings of one: it returns to its default for all accounts, its original
 * owner and end. Throws for input that the operation of the API refuses.
 */
export async function operateFlags(
  base: Deps,
  [action, flagName]: readonly (string | undefined)[],
  { reason = '', share, account, on, owner, ends }: Options,
) {
  if (action === undefined || action === 'list') return (await listFlags(base)).data;
  const deps = { ...base, commit: committing(base, { ...BY_OPERATOR, reason }) };
  const caller = { accountId: '', keyId: '' };
  const set = async (change: object) => {
    const input = { name: z.enum(FLAG_NAMES).parse(flagName), ...FlagChange().parse({ reason, ...change }) };
    return [(await setFlag(deps, caller, input)).data];
  };
  if (action === 'set') {
    const accountChange = account === undefined ? {} : { accountId: account, on: BOOLEANS[on ?? ''] };
    const shareChange = share === undefined ? {} : { share: Number(share) };
    return await set({ ...accountChange, ...shareChange, ...(owner ? { owner } : {}), ...(ends ? { ends } : {}) });
  }
  if (action !== 'end') throw new Error('flag: list, set or end');
  for (const { accounts } of await set({ share: null, owner: null, ends: null }))
    for (const { accountId } of accounts) await set({ accountId, on: null });
  return (await listFlags(base)).data.filter(({ name }) => name === flagName);
}
