import { invalidField } from '../../contract/errors.ts';
import type { listSwitches as ListRoute, setSwitch as SetRoute } from '../../contract/operator/switches.ts';
import type { Input, Output } from '../../contract/route.ts';
import { SWITCH_NAMES, type SwitchName, switchRule, targetProblem } from '../../contract/switches/switches.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import type { Off } from '../switches/switches.ts';

type SwitchView = Output<typeof SetRoute>['data'];

function view(name: SwitchName, target: string | null, state: Off[string] | undefined): SwitchView {
  const { label, stops } = switchRule(name);
  const { message = null, since = null } = state ?? {};
  return { name, target, label, stops, off: state !== undefined, message, since };
}

/**
 * GET /operator/v1/switches. Switches that are off come first. A switch that has targets is listed once for each target that is off, and once
 * more for any other target.
 */
export async function listSwitches(deps: Pick<Deps, 'table'>): Promise<Output<typeof ListRoute>> {
  const { off = {} } = (await deps.table.get(SwitchState, {})) ?? {};
  const data = SWITCH_NAMES.flatMap((name) => {
    if (switchRule(name).target === undefined) return [view(name, null, off[name])];
    const keys = Object.keys(off).filter((key) => key.startsWith(`${name}:`));
    const targets = keys.map((key) => view(name, key.slice(name.length + 1), off[key]));
    return [...targets, view(name, null, undefined)];
  });
  return { data: data.sort((one, other) => Number(other.off) - Number(one.off)), has_more: false };
}

/** PUT /operator/v1/switches/{name}. Functions notice the change within seconds. Throws 400 for an invalid target or a missing message. */
export async function setSwitch(
  deps: Deps,
  _: Caller,
  { name, target, off: isOff, message }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  const problem = targetProblem(name, target);
  const isMisplaced = (switchRule(name).target === undefined) !== (target === undefined);
  // A target that is off can be turned on even if its name is no longer valid.
  if (problem !== undefined && (isOff || isMisplaced)) throw invalidField('target', problem);
  if (isOff && message === undefined) throw invalidField('message', 'is required, because customers read it');
  const key = target === undefined ? name : `${name}:${target}`;
  const set = async () => {
    const { off: before = {}, version } = (await deps.table.get(SwitchState, {})) ?? {};
    const { [key]: previous, ...others } = before;
    const state = isOff && message ? { message, since: previous?.since ?? deps.now().toISOString() } : undefined;
    const off: Off = state ? { ...others, [key]: state } : others;
    const when = { version: unchanged(version) };
    const update = { set: { off, version: (version ?? 0) + 1 }, when };
    const data = view(name, target ?? null, state);
    return await deps.commit(
      [upsert(SwitchState, {}, update, concurrentUpdate)],
      { data },
      {
        action: 'switch.set',
        accountId: NO_ACCOUNT,
        subjectId: key,
        before: view(name, target ?? null, previous),
        after: data,
      },
    );
  };
  return await retryRequest(set);
}
