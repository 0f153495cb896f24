import { AsyncLocalStorage } from 'node:async_hooks';
import { memberOf } from '../contract/json.ts';

/**
 * The request that caused the current work. It is passed in asynchronous context instead of parameters. The table stores it with
 * every written item (`requestId`), and the stream and the sweeps restore it from the item. Messages, executions and log lines carry
 * it too (docs/decisions/0049-service-levels.md).
 */
const current = new AsyncLocalStorage<{ requestId: string; isRequest: boolean }>();

/** Returns the id of the request that caused the current work; undefined for work that a schedule started. */
export const currentRequestId = (): string | undefined => current.getStore()?.requestId;

/**
 * Runs work as caused by a request, or by no request if there is no id.
 * @param isRequest true for the request itself, false for its later effects
 */
export const withRequestId = <T>(requestId: string | undefined, work: () => T, isRequest = false): T =>
  requestId ? current.run({ requestId, isRequest }, work) : current.exit(work);

/**
 * Returns the request's id as a field for the change of an existing item. Only the request itself sets it. Its later effects leave it
 * unchanged, because they may affect items of other requests: the end of one deployment starts the next one in the queue.
 */
export const changeFields = (): { requestId?: string } => (current.getStore()?.isRequest ? originFields() : {});

/** Returns the field with the request's id for items, messages and executions; no field if there is no request. */
export function originFields(): { requestId?: string } {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
}

/** Returns the request's id in a message or in the input of an execution. */
export function requestIdIn(carrier: unknown): string | undefined {
  const id = memberOf(carrier, 'requestId');
  return typeof id === 'string' ? id : undefined;
}
