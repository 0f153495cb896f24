import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { BuildFailure } from './failure.ts';

/** Largest text of a repository or a package that the builder reads, in bytes: several times the largest lockfiles. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** Bytes that are read at once. */
const PIECE_BYTES = 1024 * 1024;

/** Reads a file up to a length; undefined for anything but an ordinary file. */
function readUpTo(file: string, bytes: number): Buffer | undefined {
  // Opened without waiting: a pipe would be waited for until something writes into it.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    const pieces: Buffer[] = [];
    // To the end and not by the size, which files of the system do not have.
    for (let left = bytes; left > 0; ) {
      const piece = Buffer.allocUnsafe(Math.min(left, PIECE_BYTES));
      const length = readSync(descriptor, piece);
      if (length === 0) break;
      pieces.push(piece.subarray(0, length));
      left -= length;
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a text that a repository, a package or a command of the build wrote. It may be a link to a device that never ends, a
 * pipe that nothing writes into, or a file of any size, and the builder has no time limit while it reads. Throws {@link
 * BuildFailure} for anything but an ordinary file of up to {@link MAX_TEXT_BYTES}, and the system's error for one that cannot be opened.
 */
export function readText(file: string): string {
  const content = readUpTo(file, MAX_TEXT_BYTES + 1);
  if (content === undefined)
    throw new BuildFailure(`${basename(file)} is not a regular file but a directory, a device or a pipe.`);
  if (content.length > MAX_TEXT_BYTES)
    throw new BuildFailure(`${basename(file)} is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB.`);
  return content.toString('utf8');
}

/** Reads the first bytes of such a file; empty text for anything but an ordinary file. */
export const readBeginning = (file: string, bytes: number): string => readUpTo(file, bytes)?.toString('utf8') ?? '';
