import { readFileSync } from 'node:fs';
import { CommandError } from './command.ts';

/**
 * Decodes text in UTF-8, with or without a byte order mark, or in UTF-16 with one, as Windows editors and PowerShell write it. The mark
 * is removed. @throws CommandError for other bytes, because a wrong character in a secret would go unnoticed
 */
function decode(bytes: Uint8Array, name: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError(`${name} is not a text in UTF-8.`, { cause });
  }
}

/** Reads a file as text. @throws CommandError, or the system error if it cannot be read */
export const readTextFile = (path: string): string => decode(readFileSync(path), path);

/** Reads all of stdin as text. @throws CommandError */
export async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return decode(Buffer.concat(parts), 'The input');
}
