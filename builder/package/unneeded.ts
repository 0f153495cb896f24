import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Start } from '../detect/existing-start.ts';
import { isOwnNextServer } from '../detect/own-server.ts';

/** Caches that tools keep for their next run. */
const CACHES = ['.next/cache', 'node_modules/.cache'] as const;
const STANDALONE = '.next/standalone';

/** Package directories of npm, Yarn and pnpm. */
const MODULES = '{node_modules,node_modules/.pnpm/*/node_modules}';
/** The development server and compilers of Next.js, which are half of its installed size. With them, a release would be too large. */
const DEVELOPMENT_SERVERS = `${MODULES}/next/dist/compiled/next-server/*.dev.js*`;
const COMPILERS = `${MODULES}/@next/swc-*`;
/** A configuration that Next.js compiles at start. It may be in any directory, because the owner's own server may name any. */
const COMPILED_CONFIGURATION = '**/next.config.{ts,mts}';
/** Directories that are not searched for a configuration. */
const NOT_SOURCES = ['node_modules', '.git', '.next'];

/**
 * Returns the paths that a release of the whole repository does not need at run time, apart from development packages.
 * @param directory the application's directory, relative to the packaged directory; empty for that directory itself
 */
export function unneededPaths(start: Start, directory: string, packaged: string): string[] {
  const app = join(packaged, directory);
  const exclude = (path: string) => NOT_SOURCES.includes(basename(path));
  const isCompiled = globSync(COMPILED_CONFIGURATION, { cwd: packaged, exclude }).length > 0;
  const patterns = [
    ...CACHES,
    DEVELOPMENT_SERVERS,
    ...(isCompiled ? [] : [COMPILERS]),
    // The owner's own server uses the ordinary build. A shell or another script might start the standalone server, so it is kept for those.
    ...(start.kind === 'node' && isOwnNextServer(app, join(start.directory, start.file)) ? [STANDALONE] : []),
  ];
  return [...new Set(['', directory])].flatMap((at) =>
    patterns.flatMap((pattern) => globSync(join(at, pattern), { cwd: packaged })),
  );
}
