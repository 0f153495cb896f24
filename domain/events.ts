import { randomBytes } from 'node:crypto';
import type { EventData, EventType } from '../contract/events.ts';
import { Event } from '../table/entities.ts';
import { create, type Write } from '../table/writes.ts';
import type { Deps } from './deps.ts';

/** The write that makes an event happen: it goes into the transaction of what it tells of, or not at all. */
export function emit<T extends EventType>(deps: Deps, accountId: string, type: T, data: EventData<T>): Write {
  const id = `evt_${randomBytes(16).toString('hex')}`;
  return create(Event, { id, accountId, type, created: deps.now().toISOString(), data });
}
