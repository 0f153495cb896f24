import type { listFlags as ListRoute, setFlag as SetRoute } from '../../contract/operator/flags.ts';
import type { Input, Output } from '../../contract/route.ts';
import { expiredFlags, FLAG_NAMES, type FlagName, flagRule } from '../../contract/switches/flags.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import type { FlagStates } from '../switches/flags.ts';

type FlagView = Output<typeof SetRoute>['data'];

/** Returns the overdue flags, by the end that operators set, or else by the original end. */
function overdueFlags(states: FlagStates, now: Date): string[] {
  const ends = FLAG_NAMES.map((name) => [name, { ends: states[name]?.ends ?? flagRule(name).ends }] as const);
  return expiredFlags(now, Object.fromEntries(ends));
}

function view(name: FlagName, states: FlagStates, now: Date): FlagView {
  const { label, does, default: isDefault, ...rule } = flagRule(name);
  const { share = null, accounts = {}, owner = rule.owner, ends = rule.ends } = states[name] ?? {};
  return {
    name,
    label,
    does,
    owner,
    ends,
    default: isDefault,
    expired: overdueFlags(states, now).includes(name),
    share,
    accounts: Object.entries(accounts).map(([accountId, on]) => ({ accountId, on })),
  };
}

/** Returns the overdue flags, for the operators' ticket. */
export async function readExpiredFlags(deps: Pick<Deps, 'table' | 'now'>): Promise<string[]> {
  return overdueFlags((await deps.table.get(SwitchState, {}))?.flags ?? {}, deps.now());
}

/** GET /operator/v1/flags. The flag with the earliest end comes first. */
export async function listFlags(deps: Pick<Deps, 'table' | 'now'>): Promise<Output<typeof ListRoute>> {
  const { flags = {} } = (await deps.table.get(SwitchState, {})) ?? {};
  const data = FLAG_NAMES.map((name) => view(name, flags, deps.now()));
  return { data: data.sort((one, other) => one.ends.localeCompare(other.ends)), has_more: false };
}

/** Returns the value of a field after a change: undefined in the change keeps the stored value, and null removes it. */
const changedValue = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

/** Returns a flag's state after a change of its share, of its value for one account, of its owner or of its end. */
function changedState(state: FlagStates[string] | undefined, { accountId, on, ...given }: Input<typeof SetRoute>) {
  const { [accountId ?? '']: _, ...others } = state?.accounts ?? {};
  const accounts = accountId === undefined || on === null || on === undefined ? others : { ...others, [accountId]: on };
  const share = changedValue(given.share, state?.share);
  const owner = changedValue(given.owner, state?.owner);
  const ends = changedValue(given.ends, state?.ends);
  return {
    accounts,
    ...(share === undefined ? {} : { share }),
    ...(owner === undefined ? {} : { owner }),
    ...(ends === undefined ? {} : { ends }),
  };
}

/** PUT /operator/v1/flags/{name}. As with switches, functions notice the change within seconds. */
export async function setFlag(deps: Deps, _: Caller, input: Input<typeof SetRoute>): Promise<Output<typeof SetRoute>> {
  const { name } = input;
  const set = async () => {
    const { off = {}, flags = {}, version } = (await deps.table.get(SwitchState, {})) ?? {};
    const after = { ...flags, [name]: changedState(flags[name], input) };
    const when = { version: unchanged(version) };
    const update = { set: { off, flags: after, version: (version ?? 0) + 1 }, when };
    const data = view(name, after, deps.now());
    return await deps.commit(
      [upsert(SwitchState, {}, update, concurrentUpdate)],
      { data },
      {
        action: 'flag.set',
        accountId: NO_ACCOUNT,
        subjectId: name,
        before: view(name, flags, deps.now()),
        after: data,
      },
    );
  };
  return await retryRequest(set);
}
