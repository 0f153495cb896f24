import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';

/** An emulator's persistent state. It is completely on disk before the call that changed it returns. */
export interface State<T> {
  readonly value: T;
  save(): void;
}

/** Opens `file`, or starts with `initial` if it does not exist. */
export function openState<T extends z.ZodType>(file: string, schema: T, initial: z.output<T>): State<z.output<T>> {
  mkdirSync(dirname(file), { recursive: true });
  const value = read(file, schema) ?? initial;
  return {
    value,
    save() {
      // A rename is atomic: if the process is killed between the two lines, the old state remains complete.
      writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}

function read<T extends z.ZodType>(file: string, schema: T): z.output<T> | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(
      `${file} cannot be read: it is damaged, or a newer version of the platform wrote it. Start that version, or move the file away to go on without what it holds.`,
      { cause: error },
    );
  }
}
