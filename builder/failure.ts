/** The steps of a build, in their order. */
export type Step = 'clone' | 'install' | 'build' | 'package';

/** A reason that the application's owner can act on, in one line. Anything else that is thrown is our own fault. */
export class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}
