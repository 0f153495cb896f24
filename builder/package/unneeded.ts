import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isOwnNextServer } from '../detect/own-server.ts';
import type { Start } from '../detect/start.ts';

/** Caches that tools keep for their next run. */
const CACHES = ['.next/cache', 'node_modules/.cache'] as const;
const STANDALONE = '.next/standalone';

/** Directories of packages, of npm and Yarn and of pnpm. */
const MODULES = '{node_modules,node_modules/.pnpm/*/node_modules}';
/** Half of what Next.js installs: its server for development and its compilers. With them it exceeds a release's size. */
const DEVELOPMENT_SERVERS = `${MODULES}/next/dist/compiled/next-server/*.dev.js*`;
const COMPILERS = `${MODULES}/@next/swc-*`;
/** A configuration that Next.js compiles at start; a server of the owner's own may name any directory. */
const COMPILED_CONFIGURATION = '**/next.config.{ts,mts}';
/** Directories in which it is not looked for. */
const NOT_SOURCES = ['node_modules', '.git', '.next'];

/**
 * Returns the paths that a release with all of the repository does not need at run time, apart from development packages.
 * @param directory the application's, in the packaged directory; empty for that directory itself
 */
export function unneededPaths(start: Start, directory: string, packaged: string): string[] {
  const app = join(packaged, directory);
  const exclude = (path: string) => NOT_SOURCES.includes(basename(path));
  const isCompiled = globSync(COMPILED_CONFIGURATION, { cwd: packaged, exclude }).length > 0;
  const patterns = [
    ...CACHES,
    DEVELOPMENT_SERVERS,
    ...(isCompiled ? [] : [COMPILERS]),
    // A server of the owner's own reads the build beside this one; what a shell or another script starts is not known.
    ...(start.kind === 'node' && isOwnNextServer(app, join(start.directory, start.file)) ? [STANDALONE] : []),
  ];
  return [...new Set(['', directory])].flatMap((at) =>
    patterns.flatMap((pattern) => globSync(join(at, pattern), { cwd: packaged })),
  );
}
