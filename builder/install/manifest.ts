import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod/mini';
import { BuildFailure } from '../failure.ts';

const text = z.catch(z.optional(z.string()), undefined);
const packages = z.catch(z.record(z.string(), z.unknown()), {});

/** What of a package.json the builder goes by; a field of another form than npm's counts as absent. */
const Manifest = z.object({
  main: text,
  packageManager: text,
  engines: z.catch(z.object({ node: text }), { node: undefined }),
  scripts: z.catch(z.record(z.string(), z.string()), {}),
  workspaces: z.optional(z.unknown()),
  dependencies: packages,
  devDependencies: packages,
  optionalDependencies: packages,
  peerDependencies: packages,
});
export type Manifest = z.output<typeof Manifest>;

/** The repository's package.json; undefined when there is none. Throws what its owner should know when it is not one. */
export function readManifest(directory: string): Manifest | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  // What is wrong with its text is quoted to the owner: it must be the owner's.
  if (relative(realpathSync(directory), realpathSync(file)).startsWith('..')) {
    throw new BuildFailure('The link "package.json" points out of the repository.');
  }
  let content: unknown;
  try {
    // npm, too, reads past a byte order mark.
    content = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new BuildFailure(`package.json is not valid JSON: ${why}.`);
  }
  const manifest = Manifest.safeParse(content);
  if (!manifest.success || Array.isArray(content)) throw new BuildFailure('package.json is not a JSON object.');
  return manifest.data;
}

/** Scripts of the application's own that are part of an install, in the order in which npm runs them. */
const INSTALL_SCRIPTS = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
] as const;
export const installScripts = ({ scripts }: Manifest): string[] =>
  INSTALL_SCRIPTS.filter((name) => scripts[name] !== undefined);

/** Whether an install has anything to do: packages to get, or scripts of the application's own to run. */
export function needsInstall(manifest: Manifest): boolean {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, workspaces } = manifest;
  const named = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  return workspaces !== undefined || installScripts(manifest).length > 0 || Object.keys(named).length > 0;
}
