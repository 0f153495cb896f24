import { Door } from '../table/entities/custom-domains.ts';
import { replace, type Write } from '../table/writes.ts';
import type { Deps } from './deps.ts';
import { overtaken } from './overtaken.ts';

export interface DoorKeys {
  host: string;
  /** The claim's: a later claim of the same host has another door. */
  token: string;
}

/** How it goes on: whether the reconciler is who looks next, or how soon this execution does. */
export interface Look {
  done: boolean;
  waitSeconds: number;
}
export const over: Look = { done: true, waitSeconds: 1 };

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** An execution keeps looking for this long at what is under way; then the reconciler does. */
const WATCHED_FOR = 30 * MINUTE;
/** An execution that is silent for this long is dead. */
export const SILENCE = 5 * MINUTE;

export const later = (now: number, milliseconds: number) => new Date(now + milliseconds).toISOString();
const between = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value));

/** When a door is looked at next, and by whom. */
function paceOf({ status, since }: Pick<Door, 'status' | 'since'>, now: number): Look & { lookAt: string } {
  const waited = now - Date.parse(since);
  const resting = (milliseconds: number) => ({ ...over, lookAt: later(now, milliseconds) });
  switch (status) {
    // Most owners come back to it within minutes; some after days, some never.
    case 'WAITING':
      return resting(between(MINUTE, waited, HOUR));
    // Each attempt counts towards what the account may ask for in a year.
    case 'FAILED':
      return resting(between(HOUR, waited, 7 * DAY));
    // Certificates are renewed by themselves, as long as the domain leads here.
    case 'ISSUED':
      return resting(DAY);
    default:
      if (waited > WATCHED_FOR) return resting(between(SILENCE, waited / 4, HOUR));
      return {
        done: false,
        waitSeconds: between(2, Math.round(waited / 5 / SECOND), 60),
        lookAt: later(now, SILENCE),
      };
  }
}

type Changes = Partial<Pick<Door, 'status' | 'problem' | 'apex' | 'certificates' | 'makingUntil'>>;

/** The door after a change, and the write that makes it so if the door is as it was read. */
export function changed(
  deps: Pick<Deps, 'now'>,
  door: Door,
  changes: Changes,
): { door: Door; look: Look; write: Write } {
  const now = deps.now();
  const status = changes.status ?? door.status;
  const since = status === door.status ? door.since : now.toISOString();
  const { lookAt, ...look } = paceOf({ status, since }, now.getTime());
  const next: Door = {
    ...door,
    ...changes,
    ...{ status, since, lookAt, checkedAt: now.toISOString(), version: door.version + 1 },
  };
  const same = { token: { is: door.token }, version: { is: door.version } };
  return { door: next, look, write: replace(Door, next, same, overtaken) };
}

/** Writes down what was found. */
export async function save(deps: Deps, door: Door, changes: Changes): Promise<{ door: Door; look: Look }> {
  const { write, ...after } = changed(deps, door, changes);
  await deps.table.transact([write]);
  return after;
}
