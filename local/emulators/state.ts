import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';

/** A stand-in's memory: a value that is on disk, whole, before the call that changed it is answered. */
export interface State<T> {
  readonly value: T;
  save(): void;
}

/** Opens `file`, or starts with `initial` where there is none. */
export function openState<T extends z.ZodType>(file: string, schema: T, initial: z.output<T>): State<z.output<T>> {
  mkdirSync(dirname(file), { recursive: true });
  const value = read(file, schema) ?? initial;
  return {
    value,
    save() {
      // A rename is atomic: a kill between the two lines leaves the old state, never half of the new.
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
    throw new Error(`${file} cannot be read; npm run local:reset starts over`, { cause: error });
  }
}
