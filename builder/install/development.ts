import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { type Manifest, parseNpmJson } from '../../providers/builds/detection/manifest.ts';
import { readText } from '../read-text.ts';
import { readManifest } from './manifest.ts';

const Locked = z.object({ dev: z.optional(z.boolean()), hasInstallScript: z.optional(z.boolean()) });
const Lockfile = z.catch(z.object({ packages: z.catch(z.record(z.string(), Locked), {}) }), { packages: {} });

/**
 * Returns the packages that npm recorded as installed, by path. Returns none if another package manager installed them, or if the record is
 * invalid: install scripts may overwrite it.
 */
export function installedPackages(directory: string): [path: string, entry: z.output<typeof Locked>][] {
  const lockfile = join(directory, 'node_modules', '.package-lock.json');
  if (!existsSync(lockfile)) return [];
  return Object.entries(Lockfile.parse(readRecord(lockfile)).packages);
}

function readRecord(file: string): unknown {
  try {
    return parseNpmJson(readText(file));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

const MODULES = 'node_modules';
/** The directories in which pnpm and Bun store the packages that their links point to. */
const STORES = ['.pnpm', '.bun'] as const;
/**
 * Files that pnpm and both versions of Yarn write into `node_modules`, and the lockfiles of Bun, which writes none there. They show that a
 * package manager installed these packages from package.json.
 */
const MARKS = ['.modules.yaml', '.yarn-integrity', '.yarn-state.yml', '../bun.lock', '../bun.lockb'] as const;

/**
 * Returns the paths of packages that only development needs. npm records them. With the others they are the packages that are not
 * reachable from the dependencies in package.json; pruning with their own commands would query the registry again for cached packages.
 * Returns none for other package managers and in workspaces.
 * @param manifest package.json of the application, which may be a package of the workspace in the directory
 * @param imported names of development packages that stay, with their dependencies
 */
export function developmentPackages(
  directory: string,
  manifest: Manifest | undefined,
  imported: readonly string[] = [],
): ReadonlySet<string> {
  const kept = Object.fromEntries(imported.map((name) => [name, '*']));
  const recorded = installedPackages(directory);
  const developed = recorded.flatMap(([path, { dev }]) => (dev ? [path] : []));
  if (recorded.length > 0) return withoutReachable(realpathSync(directory), developed, kept);
  // The packages of a workspace have their own dependencies.
  if (existsSync(join(directory, 'pnpm-workspace.yaml'))) return new Set();
  if (readManifest(directory)?.workspaces !== undefined) return new Set();
  const modules = join(directory, MODULES);
  if (!manifest || !MARKS.some((mark) => existsSync(join(modules, mark)))) return new Set();
  const root = realpathSync(directory);
  const dependencies = { ...manifest.dependencies, ...kept };
  const needed = findReachable(root, [[root, { ...manifest, dependencies }]]);
  const isNeeded = (path: string): boolean => needed.has(realpathSync(join(root, path)));
  return new Set([...packagesIn(root, MODULES).filter((path) => !isNeeded(path)), ...unneededInStore(root, needed)]);
}

/** Returns the paths of packages that are not reachable from dependencies. */
function withoutReachable(root: string, paths: readonly string[], dependencies: Record<string, unknown>): Set<string> {
  if (Object.keys(dependencies).length === 0) return new Set(paths);
  const reachable = findReachable(root, [[root, { ...Dependencies.parse({}), dependencies }]]);
  return new Set(
    paths.filter((path) => !existsSync(join(root, path)) || !reachable.has(realpathSync(join(root, path)))),
  );
}

/**
 * Returns the paths in the store of pnpm or Bun that an application of a workspace does not need: the packages of other applications, and
 * those that only development needs. Only for releases that would otherwise be too large, because a package of a workspace may use a
 * dependency that only another package declares. Returns none without a store.
 * @param repository the directory of the workspace
 * @param application the directory of the application, whose package.json is `manifest`
 * @param start the start command; development packages that it names are kept
 */
export function unreachedPackages(
  repository: string,
  application: string,
  manifest: Manifest | undefined,
  start: string,
): ReadonlySet<string> {
  const [root, directory] = [realpathSync(repository), realpathSync(application)];
  const named = Object.entries(manifest?.devDependencies ?? {}).filter(([name]) => start.includes(name));
  const declared = dependenciesOf(directory);
  const roots: [string, Dependencies][] = [
    [root, dependenciesOf(root)],
    [directory, { ...declared, dependencies: { ...declared.dependencies, ...Object.fromEntries(named) } }],
  ];
  return new Set(unneededInStore(root, findReachable(root, roots)));
}

/** Returns the directories of the store whose package is not needed. */
function unneededInStore(root: string, needed: ReadonlySet<string>): string[] {
  return storedPackages(root).filter((path) => {
    const stored = packagesIn(root, `${path}/${MODULES}`).filter((entry) => !isLink(join(root, entry)));
    return stored.length > 0 && !stored.some((entry) => needed.has(realpathSync(join(root, entry))));
  });
}

/** Returns the directories of the store of pnpm or Bun. The `node_modules` of each contains a package, and links to its dependencies. */
export function storedPackages(root: string): string[] {
  return STORES.map((name) => `${MODULES}/${name}`).flatMap((store) =>
    existsSync(join(root, store)) ? readdirSync(join(root, store)).map((name) => `${store}/${name}`) : [],
  );
}

export const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

/** Returns the packages of a `node_modules`, including scoped ones, without broken links. */
export function packagesIn(root: string, modules: string): string[] {
  if (!existsSync(join(root, modules))) return [];
  return readdirSync(join(root, modules))
    .filter((name) => !name.startsWith('.'))
    .map((name) => `${modules}/${name}`)
    .flatMap((path) =>
      /\/@[^/]+$/.test(path) ? readdirSync(join(root, path)).map((name) => `${path}/${name}`) : [path],
    )
    .filter((path) => existsSync(join(root, path)));
}

const names = z.catch(z.record(z.string(), z.unknown()), {});
const Dependencies = z.object({ dependencies: names, optionalDependencies: names, peerDependencies: names });
type Dependencies = z.output<typeof Dependencies>;

/** Returns the real directories of all direct and transitive dependencies of packages, resolved as Node resolves them. */
function findReachable(
  root: string,
  packages: readonly [directory: string, declared: Dependencies][],
): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...packages];
  for (let next = queue.pop(); next; next = queue.pop()) {
    const [directory, { dependencies, optionalDependencies, peerDependencies }] = next;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = resolve(root, directory, name);
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      queue.push([at, dependenciesOf(at)]);
    }
  }
  return found;
}

/** Resolves a package from a directory upwards to the root. */
function resolve(root: string, from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const candidate = join(at, MODULES, name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (at === root || at === dirname(at)) return undefined;
  }
}

/** Returns a package's dependencies; none if its package.json is unreadable, because then Node cannot load the package either. */
function dependenciesOf(directory: string): Dependencies {
  try {
    return Dependencies.parse(parseNpmJson(readText(join(directory, 'package.json'))));
  } catch {
    return Dependencies.parse({});
  }
}
