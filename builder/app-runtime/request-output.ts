import { AsyncLocalStorage } from 'node:async_hooks';
import { lineMark } from '../../providers/app-host/requests.ts';
import type { Output } from './output-limit.ts';

/** The id of the request in whose asynchronous context code runs. */
const current = new AsyncLocalStorage<string>();

/** Sets the request id of the current asynchronous context, including its callbacks, timers and promises. */
export const enterRequest = (id: string): void => current.enterWith(id);

/** Encodings in which a string stands for bytes. Such strings are written unchanged. */
const BYTES = /^(?:hex|base64|base64url|ucs-?2|utf-?16le)$/i;

/**
 * Marks the lines that an application prints during a request with the request's id, as Lambda's own runtimes do. The platform reads the mark
 * and shows the line without it (providers/app-host/logs.ts), so that JSON remains valid. Lines outside of a request stay unmarked, and so
 * does output that bypasses `process.stdout` and `process.stderr`: that of child processes and of loggers that write to the file descriptor.
 */
export function markOutput(outputs: readonly Output[]): void {
  for (const output of outputs) {
    const original = output.write.bind(output) as (...given: unknown[]) => boolean;
    let isAtStart = true;
    /** @param text decoded as latin1 or as text; the mark is ASCII, so both work */
    const addMarks = (text: string): string => {
      const id = current.getStore();
      const beginsLine = isAtStart;
      if (text !== '') isAtStart = text.endsWith('\n');
      if (id === undefined) return text;
      const mark = lineMark(id);
      return (beginsLine && text !== '' ? mark : '') + text.replace(/\n(?!$)/g, `\n${mark}`);
    };
    output.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      if (typeof chunk !== 'string')
        return original(Buffer.from(addMarks(Buffer.from(chunk).toString('latin1')), 'latin1'), ...rest);
      const [encoding] = rest;
      return original(typeof encoding === 'string' && BYTES.test(encoding) ? chunk : addMarks(chunk), ...rest);
    }) as Output['write'];
  }
}
