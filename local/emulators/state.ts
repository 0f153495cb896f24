import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { readReplaced, replaceFile } from '../replaced-file.ts';

/** An emulator's persistent state. */
export interface State<T> {
  readonly value: T;
  /** Writes the whole state to disk before it returns. */
  save(): void;
}

/** Opens `file`, or starts with `initial` if it does not exist. */
export function openState<T extends z.ZodType>(file: string, schema: T, initial: z.output<T>): State<z.output<T>> {
  mkdirSync(dirname(file), { recursive: true });
  const value = read(file, schema) ?? initial;
  return {
    value,
    save() {
      replaceFile(file, JSON.stringify(value));
    },
  };
}

function read<T extends z.ZodType>(file: string, schema: T): z.output<T> | undefined {
  try {
    const text = readReplaced(file);
    return text === undefined ? undefined : schema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable(file, error);
  }
}

export const unreadable = (file: string, cause: unknown): Error =>
  new Error(
    `${file} cannot be read: it is damaged, or a newer version of the platform wrote it. Start that version, or move the file away to continue without its content.`,
    { cause },
  );
