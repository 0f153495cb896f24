import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { BuildFailure } from './failure.ts';

/** Maximum size of a text that the builder reads from a repository or a package, in bytes: several times that of the largest lockfiles. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
/** Bytes of one read. */
const PIECE_BYTES = 1024 * 1024;

/** Reads a file up to a length. Returns undefined for anything but a regular file. */
function readUpTo(file: string, bytes: number): Buffer | undefined {
  // Non-blocking, because opening a pipe would otherwise wait for a writer.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) return undefined;
    const pieces: Buffer[] = [];
    // Reads to the end and ignores the file's size, which is 0 for system files.
    for (let remaining = bytes; remaining > 0; ) {
      const piece = Buffer.allocUnsafe(Math.min(remaining, PIECE_BYTES));
      const length = readSync(descriptor, piece);
      if (length === 0) break;
      pieces.push(piece.subarray(0, length));
      remaining -= length;
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a text from a repository, a package or a command of the build. It may be a link to an endless device, a pipe without a writer, or a
 * file of any size, and the builder has no time limit while it reads. Throws {@link BuildFailure} for anything but a regular file of at most
 * {@link MAX_TEXT_BYTES}, and the system's error if the file cannot be opened.
 */
export function readText(file: string): string {
  const content = readUpTo(file, MAX_TEXT_BYTES + 1);
  if (content === undefined)
    throw new BuildFailure(`${basename(file)} is not a regular file but a directory, a device or a pipe.`);
  if (content.length > MAX_TEXT_BYTES)
    throw new BuildFailure(`${basename(file)} is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MB.`);
  return content.toString('utf8');
}

/** Reads the first bytes of a file. Returns an empty text for anything but a regular file. */
export const readBeginning = (file: string, bytes: number): string => readUpTo(file, bytes)?.toString('utf8') ?? '';
