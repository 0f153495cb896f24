import { appendFileSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readReplaced, replaceFile } from '../replaced-file.ts';
import { openState, unreadable } from './state.ts';

/** Named, persistent records of an emulator. */
export interface Records<T> {
  readonly value: Record<string, T>;
  /** Writes a record, or its deletion, to disk before it returns. The duration does not depend on the number of records. */
  save(name: string): void;
}

/** A file is rewritten when its superseded lines exceed the number of records by more than this. */
const MAX_SUPERSEDED = 2000;
const DELETED = null;
const Line = z.tuple([z.string(), z.unknown()]);

const toLine = (name: string, record: unknown): string => `${JSON.stringify([name, record ?? DELETED])}\n`;

/**
 * Opens `<path>.jsonl`. Each change of a record appends a line with its name, and its value or null. A killed process may leave
 * an incomplete last line, which is dropped: the call that wrote it never returned. If the file does not exist, the records come
 * from `<path>.json`, in which earlier versions stored all of them as one object.
 */
export function openRecords<T extends z.ZodType>(path: string, schema: T): Records<z.output<T>> {
  const file = `${path}.jsonl`;
  mkdirSync(dirname(file), { recursive: true });
  const value = read(file, schema) ?? openState(`${path}.json`, z.record(z.string(), schema), {}).value;
  let out: number | undefined;
  let superseded = 0;
  const close = (): void => {
    if (out !== undefined) closeSync(out);
    out = undefined;
  };
  const rewrite = (): void => {
    close();
    const lines = Object.entries(value).map(([name, record]) => toLine(name, record));
    replaceFile(file, lines.join(''));
    out = openSync(file, 'a');
    superseded = 0;
  };
  return {
    value,
    save(name) {
      // The first change, and the first one after a failure, also removes superseded and incomplete lines.
      if (out === undefined || superseded > MAX_SUPERSEDED + Object.keys(value).length) rewrite();
      else {
        try {
          appendFileSync(out, toLine(name, value[name]));
        } catch (error) {
          // A full disk may have taken a part of the line, which no line must follow: the next change rewrites the file.
          close();
          throw error;
        }
        superseded += 1;
      }
    },
  };
}

/** Returns true if a path has saved records. */
export const hasRecords = (path: string): boolean =>
  ['jsonl', 'json'].some((extension) => existsSync(`${path}.${extension}`));

function read<T extends z.ZodType>(file: string, schema: T): Record<string, z.output<T>> | undefined {
  try {
    const text = readReplaced(file);
    if (text === undefined) return undefined;
    const records = new Map<string, z.output<T>>();
    for (const line of text.split('\n').slice(0, -1)) {
      const [name, record] = Line.parse(JSON.parse(line));
      if (record === DELETED) records.delete(name);
      else records.set(name, schema.parse(record));
    }
    return Object.fromEntries(records);
  } catch (error) {
    throw unreadable(file, error);
  }
}
