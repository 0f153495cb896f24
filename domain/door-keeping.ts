import type { Executions } from '../providers/workflows/executions.ts';
import { Door } from '../table/entities/custom-domains.ts';
import type { CustomDomain } from '../table/entities.ts';
import { splitKey } from '../table/keys.ts';
import { change, create, replace, type Write } from '../table/writes.ts';
import type { Deps } from './deps.ts';
import { changed, type DoorKeys, HOUR, later, SECOND, SILENCE } from './door-state.ts';
import { Overtaken, overtaken, unlessOvertaken } from './overtaken.ts';

/** The door of a domain that has just been proven; the stream has it opened. */
export function newDoor(
  deps: Pick<Deps, 'now'>,
  of: { accountId: string; id: string },
  { host, token }: CustomDomain,
): Write {
  const now = deps.now();
  const since = now.toISOString();
  return create(Door, {
    ...{ host, token, accountId: of.accountId, applicationId: of.id, status: 'WAITING', since, problem: null },
    ...{ apex: false, certificates: 0, checkedAt: null, lookAt: later(now.getTime(), SILENCE), version: 1 },
  });
}

/** Has a door looked after. @param name of the execution: one that was lost is done again under another */
export const startKeeping = (deps: { doorKeeping: Executions }, { host, token }: DoorKeys, name: string) =>
  deps.doorKeeping.start(name, { host, token });

/** An application lets go of a domain that has a door. */
export const closing = (deps: Pick<Deps, 'now'>, door: Door): Write =>
  changed(deps, door, { status: 'CLOSING', problem: null }).write;

/**
 * The application lets the domain go: its door is closed, and the claim of the host ends with it. May be repeated.
 * @returns whether there is a door; if not, the claim is the caller's to end
 */
export async function closeDoor(deps: Deps, { host, token }: DoorKeys): Promise<boolean> {
  for (;;) {
    const door = await deps.table.get(Door, { host });
    if (door?.token !== token) return false;
    if (door.status === 'CLOSING') return true;
    try {
      await deps.table.transact([closing(deps, door)]);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** How soon after an owner's last wish for a look there is another: where one certificate was refused, each look asks for one. */
const againAfter = ({ status, certificates }: Door) => (status === 'FAILED' && certificates > 0 ? HOUR : 10 * SECOND);

/** An owner wants it to be looked at now; the stream has it done. @returns the door as it then is */
export async function askForLook(deps: Deps, door: Door): Promise<Door> {
  const { status, askedAt } = door;
  if (status !== 'WAITING' && status !== 'FAILED') return door;
  const now = deps.now().getTime();
  if (askedAt && now - Date.parse(askedAt) < againAfter(door)) return door;
  const asked = { askedAt: later(now, 0) };
  const same = { token: { is: door.token }, version: { is: door.version } };
  try {
    await deps.table.transact([replace(Door, { ...door, ...asked, version: door.version + 1 }, same, overtaken)]);
    return { ...door, ...asked };
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error; // somebody is looking
    return door;
  }
}

/** How many overdue doors one run of the reconciler looks after. */
const BATCH = 100;

/** Has doors seen to whose time has come, or whose execution died. @returns how many */
export async function reconcileDoors(deps: Deps & { doorKeeping: Executions }): Promise<number> {
  const now = deps.now();
  const overdue = await deps.table.due('DOOR', now.toISOString(), BATCH);
  for (const { pk, dueAt } of overdue) {
    const [, host = ''] = splitKey(pk);
    const door = await deps.table.get(Door, { host });
    if (!door) continue;
    await startKeeping(deps, door, `${door.token}-${Date.parse(dueAt)}`);
    const next = later(now.getTime(), SILENCE);
    const moved = { set: { lookAt: next, dueAt: next }, when: { dueAt: { is: dueAt } } };
    // Looked at meanwhile it has its next time.
    await unlessOvertaken(deps.table.write(Door, change(Door, { host }, moved, overtaken)));
  }
  return overdue.length;
}
