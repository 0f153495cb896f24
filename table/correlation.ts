import { AsyncLocalStorage } from 'node:async_hooks';
import { memberOf } from '../contract/json.ts';

/**
 * The request that the work under way belongs to. It is carried out of band, so that no function has to pass it on: the
 * table stores it with every item that is written (`requestId`), the stream and the sweeps take it up again from the item,
 * messages and executions carry it, and every line of log has it (docs/decisions/0049-service-levels.md).
 */
const current = new AsyncLocalStorage<{ requestId: string; isRequest: boolean }>();

/** Returns the id of the request that the work under way belongs to; undefined for what a clock begins. */
export const currentRequestId = (): string | undefined => current.getStore()?.requestId;

/**
 * Runs work that belongs to a request. Without an id it belongs to none.
 * @param isRequest true for the request itself, false for what follows from it
 */
export const withRequestId = <T>(requestId: string | undefined, work: () => T, isRequest = false): T =>
  requestId ? current.run({ requestId, isRequest }, work) : current.exit(work);

/**
 * Returns the field for the change of an existing item: what a request changes belongs to it from then on. What merely follows
 * from a request leaves the id of others' items: the end of one deployment starts the next one in line.
 */
export const changeFields = (): { requestId?: string } => (current.getStore()?.isRequest ? originFields() : {});

/** Returns the field that carries the request's id in items, messages and executions; none where there is no request. */
export function originFields(): { requestId?: string } {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
}

/** Returns the id that a message or the input of an execution carries. */
export function requestIdIn(carrier: unknown): string | undefined {
  const id = memberOf(carrier, 'requestId');
  return typeof id === 'string' ? id : undefined;
}
