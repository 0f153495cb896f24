import { join, relative, sep } from 'node:path';
import { entryOf } from '../../contract/enums.ts';
import { isObject, memberOf, parseJson } from '../../contract/json.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import type { PackageRequirement } from '../../providers/builds/detection/node-version.ts';
import { readText } from '../read-text.ts';
import type { Layout } from './layout.ts';

/** Returns the member of an object with a name from the repository. */
const ownMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Returns the version of Node that a package requires, by its name; undefined if it requires none. */
type RangeOf = (name: string) => unknown;

/** Reads a lockfile of npm. From npm 7 on, it contains the engines of packages. @param workspace path of the application's directory */
function readNpm(text: string, workspace: string): RangeOf {
  const packages = memberOf(parseJson(text), 'packages');
  const packageOf = (name: string): unknown => {
    const entry =
      ownMember(packages, `${workspace}/node_modules/${name}`) ?? ownMember(packages, `node_modules/${name}`);
    const resolved = memberOf(entry, 'resolved');
    return memberOf(entry, 'link') === true ? ownMember(packages, String(resolved)) : entry;
  };
  return (name) => memberOf(memberOf(packageOf(name), 'engines'), 'node');
}

/** Matches a line of pnpm's lockfile: its indentation, its key, and its value, each without quotes. */
const PNPM_LINE = /^( *)(?:'([^'\n]*)'|([^\s'][^:\n]*(?::[^\s:][^:\n]*)*)):(?: +(.*))?$/;
/** Removes the peer dependencies from a version, which are in parentheses, and the slash at the beginning of pnpm 8's. */
const withoutPeers = (version: string): string => version.replace(/^\/|\(.*$/g, '');
const unquoted = (text: string): string => text.trim().replace(/^(['"])(.*)\1$/, '$2');

/** Reads a lockfile of pnpm, from its format 6 (pnpm 8) on. @param workspace path of the application's directory */
function readPnpm(text: string, workspace: string): RangeOf {
  const versions = new Map<string, string>();
  const ranges = new Map<string, string>();
  const importer = workspace === '' ? '.' : workspace;
  let path: string[] = [];
  for (const line of text.split('\n')) {
    const [, indent = '', quotedKey, plainKey = '', value = ''] = PNPM_LINE.exec(line) ?? [];
    const key = quotedKey ?? plainKey;
    if (key === '') continue;
    path = [...path.slice(0, indent.length / 2), key];
    const [section, first = '', group = '', name = ''] = path;
    if (
      section === 'importers' &&
      first === importer &&
      /ependencies$/.test(group) &&
      path.length === 5 &&
      key === 'version'
    )
      versions.set(name, unquoted(value));
    // A repository without workspaces may have no importers.
    if (/^(d|devD|optionalD)ependencies$/.test(section ?? '') && path.length === 3 && key === 'version')
      versions.set(first, unquoted(value));
    const node =
      section === 'packages' && path.length === 3 && key === 'engines'
        ? /\bnode: *('[^']*'|"[^"]*"|[^,}]+)/.exec(value)?.[1]
        : undefined;
    if (node !== undefined) ranges.set(withoutPeers(first), unquoted(node));
  }
  return (name) => {
    const version = versions.get(name);
    if (version === undefined) return undefined;
    // An alias has the version `name@1.0.0`.
    const exact = withoutPeers(version);
    return ranges.get(`${name}@${exact}`) ?? ranges.get(exact);
  };
}

/** The lockfiles that contain the engines of packages. Those of Yarn and Bun do not. */
const READERS: Readonly<Record<string, (text: string, workspace: string) => RangeOf>> = {
  'package-lock.json': readNpm,
  'npm-shrinkwrap.json': readNpm,
  'pnpm-lock.yaml': readPnpm,
};

/**
 * Returns the versions of Node that the direct dependencies of an application require, according to its lockfile.
 * @param lockfile the name of the lockfile that the installation uses
 */
export function enginesOfDependencies(
  { app, install }: Pick<Layout, 'app' | 'install'>,
  lockfile: string | undefined,
  manifest: Manifest | undefined,
): PackageRequirement[] {
  const read = entryOf(READERS, lockfile ?? '');
  if (lockfile === undefined || read === undefined) return [];
  const rangeOf = read(readText(join(install, lockfile)), relative(install, app).split(sep).join('/'));
  const names = Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies });
  return names.flatMap((name) => {
    const range = rangeOf(name);
    return typeof range === 'string' ? [{ package: name, range }] : [];
  });
}
