import { ApiError } from '../../contract/errors.ts';
import {
  SWITCH_CACHE_S,
  SWITCH_NAMES,
  SWITCH_RETRY_AFTER_S,
  type SwitchName,
} from '../../contract/switches/switches.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { readThrough } from '../cache/cache.ts';
import type { Deps } from '../deps.ts';
import type { ReadFlags } from './flags.ts';

/** The switches that are off, keyed by `<switch>` or `<switch>:<target>`. */
export type Off = SwitchState['off'];

/** Reads the switches that are off; at most {@link SWITCH_CACHE_S} seconds old. */
export type ReadSwitches = () => Promise<Off>;

/**
 * Returns readers of the switches and of the flags that share one cache. The cache never returns an expired value, so a switch takes effect
 * within {@link SWITCH_CACHE_S} seconds.
 */
export function switchReader(deps: Pick<Deps, 'table' | 'now'>): { switches: ReadSwitches; flags: ReadFlags } {
  const cached = readThrough<SwitchState | undefined>({ max: 1, ttlMs: SWITCH_CACHE_S * 1000, now: deps.now });
  const read = () => cached('switches', () => deps.table.get(SwitchState, {}));
  return { switches: async () => (await read())?.off ?? {}, flags: async () => (await read())?.flags ?? {} };
}

/** Returns the notices that customers see about the switches that are off. */
export const noticesOf = (off: Off): { name: SwitchName; message: string; since: string }[] =>
  Object.entries(off).flatMap(([key, { message, since }]) => {
    const name = SWITCH_NAMES.find((candidate) => key === candidate || key.startsWith(`${candidate}:`));
    return name ? [{ name, message, since }] : [];
  });

/** Returns the message of a switch that is off; undefined if it is on. */
export const messageOf = (off: Off, name: SwitchName, target?: string): string | undefined =>
  off[target === undefined ? name : `${name}:${target}`]?.message;

/** Creates the error of a request that a switch refuses: 503 with the operators' message. */
export const switchedOff = (message: string) =>
  new ApiError('server_error', message, { status: 503, retryAfter: SWITCH_RETRY_AFTER_S });

/** Throws 503 with the operators' message if a switch is off. */
export function assertOn(off: Off, name: SwitchName, target?: string): void {
  const message = messageOf(off, name, target);
  if (message !== undefined) throw switchedOff(message);
}

/** Throws 503 with the message of the first of these switches that is off. */
export function assertAllOn(off: Off, names: readonly SwitchName[]): void {
  for (const name of names) assertOn(off, name);
}
