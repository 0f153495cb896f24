import { AsyncLocalStorage } from 'node:async_hooks';
import { lineMark } from '../../providers/app-host/requests.ts';
import type { Output } from './output-limit.ts';

/** The id of the request in whose course code runs. */
const current = new AsyncLocalStorage<string>();

/** Has what follows in the course of the present request carry its id: callbacks, timers and promises too. */
export const enterRequest = (id: string): void => current.enterWith(id);

/** Encodings whose text is bytes: it is written as it is. */
const BYTES = /^(?:hex|base64|base64url|ucs-?2|utf-?16le)$/i;

/**
 * Marks the lines that an application prints in the course of a request with the request's id, as Lambda's own runtimes do. The
 * platform reads the mark and shows the line without it (providers/app-host/logs.ts), so that JSON stays JSON. Lines outside of a request
 * stay as they are, and so does what does not pass through `process.stdout` and `process.stderr`: child processes, and loggers
 * that write to the file descriptor.
 */
export function markOutput(outputs: readonly Output[]): void {
  for (const output of outputs) {
    const original = output.write.bind(output) as (...given: unknown[]) => boolean;
    let isAtStart = true;
    /** @param text of one byte for each character, or as it is: the mark is ASCII */
    const marked = (text: string): string => {
      const id = current.getStore();
      const beginsLine = isAtStart;
      if (text !== '') isAtStart = text.endsWith('\n');
      if (id === undefined) return text;
      const mark = lineMark(id);
      return (beginsLine && text !== '' ? mark : '') + text.replace(/\n(?!$)/g, `\n${mark}`);
    };
    output.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      if (typeof chunk !== 'string')
        return original(Buffer.from(marked(Buffer.from(chunk).toString('latin1')), 'latin1'), ...rest);
      const [encoding] = rest;
      return original(typeof encoding === 'string' && BYTES.test(encoding) ? chunk : marked(chunk), ...rest);
    }) as Output['write'];
  }
}
