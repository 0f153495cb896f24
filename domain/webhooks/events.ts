import { randomBytes } from 'node:crypto';
import type { EventData, EventType } from '../../contract/webhooks/events.ts';
import { Event } from '../../table/entities/webhooks.ts';
import { create, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** An event's id and the write that makes it happen. @param onlyTo the one endpoint that it is for, whatever that subscribes to */
export function newEvent<T extends EventType>(
  deps: Pick<Deps, 'now'>,
  accountId: string,
  type: T,
  data: EventData<T>,
  onlyTo?: string,
): { id: string; write: Write } {
  const id = `evt_${randomBytes(16).toString('hex')}`;
  const event = { id, accountId, type, created: deps.now().toISOString(), data, ...(onlyTo ? { onlyTo } : {}) };
  return { id, write: create(Event, event) };
}

/** The write that makes an event happen: it goes into the transaction of what it tells of, or not at all. */
export const emit = <T extends EventType>(
  deps: Pick<Deps, 'now'>,
  accountId: string,
  type: T,
  data: EventData<T>,
): Write => newEvent(deps, accountId, type, data).write;
