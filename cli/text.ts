import { readFileSync } from 'node:fs';
import { CommandError } from './command.ts';

/**
 * Decodes a text as Windows' editors and PowerShell write it, too: UTF-8, also with a byte order mark, or UTF-16 with one. The mark
 * is left out. @throws CommandError for other bytes: in a secret, a wrong character would not be seen
 */
function decode(bytes: Uint8Array, name: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${name} is not a text in UTF-8.`, { cause });
  }
}

/** Reads a file as text. @throws CommandError, or the error of the system where it cannot be read */
export const readTextFile = (path: string): string => decode(readFileSync(path), path);

/** Reads all of stdin as text. @throws CommandError */
export async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return decode(Buffer.concat(parts), 'The input');
}
