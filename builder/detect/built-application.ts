import type { Job } from '../../providers/builds/builds.ts';
import type { Framework } from '../../providers/builds/detection/frameworks.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';

/** An application after its build. */
export interface BuiltApplication {
  /** The application's directory. */
  directory: string;
  /** The repository, which may contain the application in a subdirectory. */
  repository: string;
  settings: Pick<Job, 'framework' | 'startFile' | 'startCommand' | 'variables'>;
  manifest: Manifest | undefined;
  framework: Framework | undefined;
  /** The command that the build ran; null if it ran none. */
  buildCommand: string | null;
}
