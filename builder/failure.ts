/** The steps of a build in order. */
export type Step = 'clone' | 'install' | 'build' | 'package';

/**
 * A failure that the application's owner can act on, described in one line. Any other error is the platform's fault.
 */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}
