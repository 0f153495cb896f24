import type { Route } from '../../contract/route.ts';
import { clearDraft, readDraft, saveDraft } from '../drafts.ts';
import { toFailure } from './failure.ts';

/** Duration for which the same input, sent again, repeats a write whose outcome is unknown. Later it is a new one. */
const REPEATED_WITHIN_MS = 10 * 60_000;

/** A write whose success is not known: it is running, or its response was lost. */
interface Attempt {
  idempotencyKey: string;
  /** Time of its first request, in milliseconds since the epoch. */
  at: number;
  /** True if an earlier response was lost. */
  isLost: boolean;
}

interface Known {
  attempt: Promise<Attempt>;
  running?: Promise<unknown>;
}

/** The attempts of the page, not of a component: a dialog or a screen that is opened again must not order a second time. */
const attempts = new Map<string, Known>();

const NONE = { key: '', at: 0 };

/** Returns the name under which an attempt is stored: a hash, because its input may contain secrets. */
async function storedName(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `attempt ${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

const isRecent = (at: number): boolean => Date.now() - at < REPEATED_WITHIN_MS;

/** Returns the attempt that a reload has interrupted, or begins and stores one. */
async function begin(text: string): Promise<Attempt> {
  const name = await storedName(text);
  const stored = readDraft(name, NONE);
  if (stored && isRecent(stored.at)) return { idempotencyKey: stored.key, at: stored.at, isLost: true };
  const attempt = { idempotencyKey: crypto.randomUUID(), at: Date.now(), isLost: false };
  saveDraft(name, NONE, { key: attempt.idempotencyKey, at: attempt.at });
  return attempt;
}

async function forget(text: string): Promise<void> {
  attempts.delete(text);
  clearDraft(await storedName(text));
}

/**
 * Sends a write. The same input has the same idempotency key until its outcome is known, so that the API executes it once: whether it is
 * sent again by the same form, by one that was closed and opened again, or after a reload.
 *
 * Each POST creates something, so it is joined while it runs. PUT and PATCH are sent as they are: they may be repeated, and the hash of what
 * they store, such as a short secret, could be guessed.
 */
export async function sendOnce<T>(
  operation: string,
  input: unknown,
  method: Route['method'],
  send: (attempt: Readonly<Attempt>) => Promise<T>,
): Promise<T> {
  if (method === 'PUT' || method === 'PATCH')
    return await send({ idempotencyKey: crypto.randomUUID(), at: Date.now(), isLost: false });
  const text = `${operation} ${JSON.stringify(input)}`;
  const known = attempts.get(text) ?? { attempt: begin(text) };
  attempts.set(text, known);
  const run = async (): Promise<T> => {
    let attempt = await known.attempt;
    if (!isRecent(attempt.at)) {
      await forget(text);
      known.attempt = begin(text);
      attempts.set(text, known);
      attempt = await known.attempt;
    }
    try {
      const output = await send(attempt);
      await forget(text);
      return output;
    } catch (error) {
      const { status, isTransient } = toFailure(error);
      attempt.isLost ||= status === 0;
      // A conflict may be with the request before this one.
      if (!isTransient && status !== 409) await forget(text);
      throw error;
    } finally {
      delete known.running;
    }
  };
  if (method !== 'POST') return await run();
  known.running ??= run();
  return (await known.running) as T;
}
