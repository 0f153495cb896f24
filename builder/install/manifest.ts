import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as z from 'zod/mini';
import { BuildFailure } from '../failure.ts';

const text = z.catch(z.optional(z.string()), undefined);
const packages = z.catch(z.record(z.string(), z.unknown()), {});

/** Fields of package.json that the builder reads. A field of an unexpected type counts as absent. */
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

/** Reads the repository's package.json; undefined if there is none. Throws BuildFailure if it is not a JSON object. */
export function readManifest(directory: string): Manifest | undefined {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return undefined;
  // Parse errors quote the file's text to the owner, so the file must be inside the repository.
  if (relative(realpathSync(directory), realpathSync(file)).startsWith('..')) {
    throw new BuildFailure('The link "package.json" points out of the repository.');
  }
  let content: unknown;
  try {
    // npm also ignores a byte order mark.
    content = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new BuildFailure(`package.json is not valid JSON: ${reason}.`);
  }
  const manifest = Manifest.safeParse(content);
  if (!manifest.success || Array.isArray(content)) throw new BuildFailure('package.json is not a JSON object.');
  return manifest.data;
}

/** The application's scripts that are part of an installation, in the order in which npm runs them. */
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

/** Returns true if there are packages to install or install scripts to run. */
export function needsInstall(manifest: Manifest): boolean {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, workspaces } = manifest;
  const combined = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  return workspaces !== undefined || installScripts(manifest).length > 0 || Object.keys(combined).length > 0;
}
