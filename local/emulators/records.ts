import { closeSync, existsSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readReplaced, replaceFile } from '../replaced-file.ts';
import { openState, unreadable } from './state.ts';

/** Named records of an emulator. A change is completely on disk before the call that made it returns. */
export interface Records<T> {
  readonly value: Record<string, T>;
  /** Saves a record, or that it was deleted. It takes the same time however many others there are. */
  save(name: string): void;
}

/** Number of superseded lines, beyond one for each record, at which a file is rewritten. */
const MAX_SUPERSEDED = 2000;
const DELETED = null;
const Line = z.tuple([z.string(), z.unknown()]);

const toLine = (name: string, record: unknown): string => `${JSON.stringify([name, record ?? DELETED])}\n`;

/**
 * Opens `<path>.jsonl`, to which each change of a record appends a line: its name, and its value or null. A killed process may leave
 * the last line incomplete; the call that wrote it never returned, so it is dropped. Where the file does not exist, the records
 * come from `<path>.json`, where earlier versions had all of them in one object.
 */
export function openRecords<T extends z.ZodType>(path: string, schema: T): Records<z.output<T>> {
  const file = `${path}.jsonl`;
  mkdirSync(dirname(file), { recursive: true });
  const value = read(file, schema) ?? openState(`${path}.json`, z.record(z.string(), schema), {}).value;
  let out: number | undefined;
  let superseded = 0;
  const rewrite = (): void => {
    if (out !== undefined) closeSync(out);
    const lines = Object.entries(value).map(([name, record]) => toLine(name, record));
    replaceFile(file, lines.join(''));
    out = openSync(file, 'a');
    superseded = 0;
  };
  return {
    value,
    save(name) {
      // The first change also removes what an earlier process left: superseded lines, or an incomplete one.
      if (out === undefined || superseded > MAX_SUPERSEDED + Object.keys(value).length) rewrite();
      else {
        writeSync(out, toLine(name, value[name]));
        superseded += 1;
      }
    },
  };
}

/** Returns whether records were saved at a path. */
export const hasRecords = (path: string): boolean =>
  ['jsonl', 'json'].some((ending) => existsSync(`${path}.${ending}`));

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
