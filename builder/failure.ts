import { relative, sep } from 'node:path';

/** The steps of a build in order. */
export type Step = 'clone' | 'install' | 'build' | 'package';

/**
 * A failure that the application's owner can act on, described in one line. Any other error is the platform's fault.
 */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}

/** The error of the system about a file, as Node throws it. */
interface FileError extends Error {
  code: string;
  path?: string;
}
const isFileError = (error: unknown): error is FileError => error instanceof Error && 'code' in error;

/** Errors that say what a file is, and not that the machine is full or failing. */
const OF_FILES = ['EACCES', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'EPERM'];
/** Characters of a path that are shown, from its end. */
const SHOWN = 200;

/**
 * Returns the sentence for the owner about a file of the build that the system could not read; undefined for another error. What is in
 * the build's directory is the owner's: a process of the build may remove files while they are packaged.
 */
export function describeFileError(error: unknown, directory: string): string | undefined {
  if (!isFileError(error) || !OF_FILES.includes(error.code)) return undefined;
  const { code, path } = error;
  if (!path?.startsWith(directory + sep)) return undefined;
  return `${relative(directory, path).slice(-SHOWN)} cannot be read (${code}): it is no ordinary file, or a process of the build has changed it meanwhile.`;
}
