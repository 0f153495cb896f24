import { randomBytes } from 'node:crypto';
import type { EventData, EventType } from '../../contract/webhooks/events.ts';
import { Event } from '../../table/entities/webhooks.ts';
import { create, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** Returns an event's id and the write that stores it. @param onlyTo the only endpoint that receives the event, regardless of its subscriptions */
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

/** Returns the write that stores an event. It must be part of the transaction that causes the event. */
export const emit = <T extends EventType>(
  deps: Pick<Deps, 'now'>,
  accountId: string,
  type: T,
  data: EventData<T>,
): Write => newEvent(deps, accountId, type, data).write;
