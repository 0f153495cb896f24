import type { listFlags as ListRoute, setFlag as SetRoute } from '../../contract/operator/flags.ts';
import type { Input, Output } from '../../contract/route.ts';
import { expiredFlags, FLAG_NAMES, type FlagName, flagRule } from '../../contract/switches/flags.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { upsert } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import type { FlagStates } from '../switches/flags.ts';

type Shown = Output<typeof SetRoute>['data'];

function view(name: FlagName, states: FlagStates, now: Date): Shown {
  const { label, does, owner, ends, default: isDefault } = flagRule(name);
  const { share = null, accounts = {} } = states[name] ?? {};
  return {
    ...{ name, label, does, owner, ends, default: isDefault, expired: expiredFlags(now).includes(name), share },
    accounts: Object.entries(accounts).map(([accountId, on]) => ({ accountId, on })),
  };
}

/** GET /operator/v1/flags: those whose end has come first. */
export async function listFlags(deps: Pick<Deps, 'table' | 'now'>): Promise<Output<typeof ListRoute>> {
  const { flags = {} } = (await deps.table.get(SwitchState, {})) ?? {};
  const data = FLAG_NAMES.map((name) => view(name, flags, deps.now()));
  return { data: data.sort((one, other) => one.ends.localeCompare(other.ends)), has_more: false };
}

/** Returns what is said about a flag after a change: of all accounts, or of one. */
function changed(state: FlagStates[string] | undefined, { share, accountId, on }: Input<typeof SetRoute>) {
  const { share: shareBefore, accounts = {} } = state ?? {};
  if (accountId === undefined) return { accounts, ...(share === null || share === undefined ? {} : { share }) };
  const { [accountId]: _, ...others } = accounts;
  return {
    ...(shareBefore === undefined ? {} : { share: shareBefore }),
    accounts: on === null || on === undefined ? others : { ...others, [accountId]: on },
  };
}

/** PUT /operator/v1/flags/{name}. Functions notice within seconds, as of switches. */
export async function setFlag(deps: Deps, _: Caller, input: Input<typeof SetRoute>): Promise<Output<typeof SetRoute>> {
  const { name } = input;
  const set = async () => {
    const { off = {}, flags = {}, version } = (await deps.table.get(SwitchState, {})) ?? {};
    const after = { ...flags, [name]: changed(flags[name], input) };
    const when = { version: version === undefined ? ('absent' as const) : { is: version } };
    const what = { set: { off, flags: after, version: (version ?? 0) + 1, entity: SwitchState.type }, when };
    const data = view(name, after, deps.now());
    return await deps.commit(
      [upsert(SwitchState, {}, what, concurrentUpdate)],
      { data },
      {
        ...{ action: 'flag.set', accountId: NO_ACCOUNT, subjectId: name },
        ...{ before: view(name, flags, deps.now()), after: data },
      },
    );
  };
  return await retryOnConflict(set, { onExhausted: serviceBusy });
}
