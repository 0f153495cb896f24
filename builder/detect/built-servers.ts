import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { entryOf } from '../../contract/enums.ts';
import { parseNpmJson } from '../../providers/builds/detection/manifest.ts';
import { readText } from '../read-text.ts';
import type { BuiltApplication } from './built-application.ts';
import { isFile, isOutside } from './files.ts';

/** Files that a monorepo's tool, such as Nx or Nest's own, builds for each application. */
const BUILT_SERVERS = ['dist/*/main.js', 'dist/apps/*/main.js'];
/** The same for packages of an Nx workspace, each of which has its own output. */
const BUILT_PACKAGES = ['apps/*/dist/main.js'];

const text = () => z.catch(z.optional(z.string()), undefined);
const Project = z.object({ root: text(), entryFile: text() });
const NestConfig = z.object({
  ...Project.shape,
  monorepo: z.catch(z.boolean(), false),
  projects: z.catch(z.record(z.string(), Project), {}),
});

/** Returns the configuration of Nest's monorepo in a directory; undefined if there is none. */
function readNest(app: Pick<BuiltApplication, 'directory'>): z.output<typeof NestConfig> | undefined {
  if (!isFile(app, 'nest-cli.json')) return undefined;
  try {
    const config = NestConfig.safeParse(parseNpmJson(readText(join(app.directory, 'nest-cli.json')))).data;
    return config?.monorepo ? config : undefined;
  } catch {
    // Nest's own build reports an invalid file.
    return undefined;
  }
}

/**
 * Returns the file that `nest start [project]` starts in a monorepo of Nest: that of the project, by default that of the configuration.
 * Returns undefined outside of such a monorepo, and for a project that it does not have.
 */
export function nestServer(app: Pick<BuiltApplication, 'directory'>, command: string): string | undefined {
  const config = readNest(app);
  const name = /^nest start (?!-)(\S+)/.exec(command)?.[1];
  const project = name === undefined ? config : config && entryOf(config.projects, name);
  const path = project?.root === undefined ? undefined : `dist/${project.root}/${project.entryFile ?? 'main'}.js`;
  return path === undefined || isOutside(path) ? undefined : path;
}

/** Returns true for the root of a monorepo whose tool builds each application into a directory of its own. */
export const isMonorepoRoot = (app: Pick<BuiltApplication, 'directory'>): boolean =>
  existsSync(join(app.directory, 'nx.json')) || readNest(app) !== undefined;

/** Returns the servers that a monorepo's tool built. A page next to a file shows that it belongs to a site. */
export function builtServers(app: Pick<BuiltApplication, 'directory'>): string[] {
  const packages = existsSync(join(app.directory, 'nx.json')) ? BUILT_PACKAGES : [];
  return globSync([...BUILT_SERVERS, ...packages], { cwd: app.directory })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isFile(app, `${file.replace(/\/main\.js$/, '')}/index.html`))
    .sort();
}

/** Returns the server that starts a monorepo's root: the only one, or that of Nest's configuration; undefined if there is none of these. */
export function builtServer(app: Pick<BuiltApplication, 'directory'>): string | undefined {
  const servers = builtServers(app);
  const [only, ...others] = servers;
  const chosen = nestServer(app, 'nest start');
  return others.length === 0 ? only : servers.find((file) => file === chosen);
}
