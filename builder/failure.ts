import { relative, sep } from 'node:path';

/** The steps of a build in order. */
export type Step = 'clone' | 'install' | 'build' | 'package';

/**
 * A failure that the application's owner can fix, described in one line. Any other error is the platform's fault.
 */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}

/** A system error about a file. */
interface FileError extends Error {
  code: string;
  path?: string;
}
const isFileError = (error: unknown): error is FileError => error instanceof Error && 'code' in error;

/** Error codes that concern a single file, and not a full or failing machine. */
const FILE_ERROR_CODES = ['EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM'];
/** Maximum characters of a path that are shown; a longer path is cut at its start. */
const MAX_PATH_CHARACTERS = 200;

/**
 * Returns a message for the owner about a file that could not be read; undefined for other errors. The files in the build's directory are the
 * owner's responsibility: a process of the build may delete them while they are packaged.
 */
export function describeFileError(error: unknown, directory: string): string | undefined {
  if (!isFileError(error) || !FILE_ERROR_CODES.includes(error.code)) return undefined;
  const { code, path } = error;
  if (!path?.startsWith(directory + sep)) return undefined;
  return `${relative(directory, path).slice(-MAX_PATH_CHARACTERS)} cannot be read (${code}): it is not a regular file, or a process of the build has changed it.`;
}
