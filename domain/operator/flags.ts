import type { listFlags as ListRoute, setFlag as SetRoute } from '../../contract/operator/flags.ts';
import type { Input, Output } from '../../contract/route.ts';
import { expiredFlags, FLAG_NAMES, type FlagName, flagRule } from '../../contract/switches/flags.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import type { FlagStates } from '../switches/flags.ts';

type Shown = Output<typeof SetRoute>['data'];

/** Returns the flags whose end has come, by the days that operators set or that they had at first. */
function expiredOf(states: FlagStates, now: Date): string[] {
  const ends = FLAG_NAMES.map((name) => [name, { ends: states[name]?.ends ?? flagRule(name).ends }] as const);
  return expiredFlags(now, Object.fromEntries(ends));
}

function view(name: FlagName, states: FlagStates, now: Date): Shown {
  const { label, does, default: isDefault, ...rule } = flagRule(name);
  const { share = null, accounts = {}, owner = rule.owner, ends = rule.ends } = states[name] ?? {};
  return {
    name,
    label,
    does,
    owner,
    ends,
    default: isDefault,
    expired: expiredOf(states, now).includes(name),
    share,
    accounts: Object.entries(accounts).map(([accountId, on]) => ({ accountId, on })),
  };
}

/** Returns the flags whose end has come, for the operators' ticket. */
export async function readExpiredFlags(deps: Pick<Deps, 'table' | 'now'>): Promise<string[]> {
  return expiredOf((await deps.table.get(SwitchState, {}))?.flags ?? {}, deps.now());
}

/** GET /operator/v1/flags: those whose end has come first. */
export async function listFlags(deps: Pick<Deps, 'table' | 'now'>): Promise<Output<typeof ListRoute>> {
  const { flags = {} } = (await deps.table.get(SwitchState, {})) ?? {};
  const data = FLAG_NAMES.map((name) => view(name, flags, deps.now()));
  return { data: data.sort((one, other) => one.ends.localeCompare(other.ends)), has_more: false };
}

/** Returns the first of these that is given; null is given and stands for nothing. */
const latest = <T>(given: T | null | undefined, before: T | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

/** Returns what is said about a flag after a change: of all accounts or of one, of its owner and its end. */
function changed(state: FlagStates[string] | undefined, { accountId, on, ...given }: Input<typeof SetRoute>) {
  const { [accountId ?? '']: _, ...others } = state?.accounts ?? {};
  const accounts = accountId === undefined || on === null || on === undefined ? others : { ...others, [accountId]: on };
  const share = latest(given.share, state?.share);
  const owner = latest(given.owner, state?.owner);
  const ends = latest(given.ends, state?.ends);
  return {
    accounts,
    ...(share === undefined ? {} : { share }),
    ...(owner === undefined ? {} : { owner }),
    ...(ends === undefined ? {} : { ends }),
  };
}

/** PUT /operator/v1/flags/{name}. Functions notice within seconds, as of switches. */
export async function setFlag(deps: Deps, _: Caller, input: Input<typeof SetRoute>): Promise<Output<typeof SetRoute>> {
  const { name } = input;
  const set = async () => {
    const { off = {}, flags = {}, version } = (await deps.table.get(SwitchState, {})) ?? {};
    const after = { ...flags, [name]: changed(flags[name], input) };
    const when = { version: unchanged(version) };
    const what = { set: { off, flags: after, version: (version ?? 0) + 1 }, when };
    const data = view(name, after, deps.now());
    return await deps.commit(
      [upsert(SwitchState, {}, what, concurrentUpdate)],
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
  return await retryOnConflict(set, { onExhausted: serviceBusy });
}
