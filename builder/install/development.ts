import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Manifest } from './manifest.ts';

interface Locked {
  dev?: boolean;
  hasInstallScript?: boolean;
}

/** npm's own account of what it installed, by path; empty where npm did not. */
export function installedPackages(directory: string): [path: string, of: Locked][] {
  const account = join(directory, 'node_modules', '.package-lock.json');
  if (!existsSync(account)) return [];
  const { packages = {} }: { packages?: Record<string, Locked> } = JSON.parse(readFileSync(account, 'utf8'));
  return Object.entries(packages);
}

const MODULES = 'node_modules';
/** Where pnpm keeps the packages that its links point to. */
const STORE = '.pnpm';
/** What pnpm and both Yarns leave in `node_modules`: what is there is theirs, and follows from package.json. */
const MARKS = ['.modules.yaml', '.yarn-integrity', '.yarn-state.yml'] as const;

/**
 * Packages that only development needs, by their paths in the repository. npm itself says which those are. Of what pnpm and
 * Yarn installed it is whatever package.json's own dependencies do not lead to: taking it away by their own commands asks the
 * registry again where the packages came from the cache. Where others installed, or in a workspace, nothing is known.
 */
export function developmentPackages(directory: string, manifest: Manifest | undefined): ReadonlySet<string> {
  const told = installedPackages(directory);
  if (told.length > 0) return new Set(told.flatMap(([path, { dev }]) => (dev ? [path] : [])));
  const modules = join(directory, MODULES);
  if (!manifest || manifest.workspaces !== undefined || !MARKS.some((mark) => existsSync(join(modules, mark)))) {
    return new Set();
  }
  const root = realpathSync(directory);
  const needed = reachable(root, manifest);
  const isNeeded = (path: string): boolean => needed.has(realpathSync(join(root, path)));
  const stored = existsSync(join(modules, STORE)) ? readdirSync(join(modules, STORE)) : [];
  return new Set([
    ...packagesIn(root, MODULES).filter((path) => !isNeeded(path)),
    ...stored
      .map((name) => `${MODULES}/${STORE}/${name}`)
      .filter((path) => {
        // Beside each package are links to what it depends on.
        const own = packagesIn(root, `${path}/${MODULES}`).filter((each) => !isLink(join(root, each)));
        return own.length > 0 && !own.some(isNeeded);
      }),
  ]);
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink();

/** The packages of a `node_modules`, those of scopes among them; links to nothing are none. */
function packagesIn(root: string, modules: string): string[] {
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

/** The real directories of all packages that one depends on, its own and theirs, found as Node finds them. */
function reachable(root: string, manifest: Dependencies): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting: [directory: string, of: Dependencies][] = [[root, manifest]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [directory, { dependencies, optionalDependencies, peerDependencies }] = next;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = resolve(root, directory, name);
      if (at === undefined || found.has(at)) continue;
      found.add(at);
      waiting.push([at, dependenciesOf(at)]);
    }
  }
  return found;
}

/** Looks for a package from a directory upwards to the root. */
function resolve(root: string, from: string, name: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const candidate = join(at, MODULES, name);
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (at === root || at === dirname(at)) return undefined;
  }
}

/** None where its package.json cannot be read: Node could not load such a package either. */
function dependenciesOf(directory: string): Dependencies {
  try {
    return Dependencies.parse(JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')));
  } catch {
    return Dependencies.parse({});
  }
}
