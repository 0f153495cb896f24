import { join, relative, sep } from 'node:path';
import { isObject, memberOf, parseJson } from '../../contract/json.ts';
import type { Manifest } from '../../providers/builds/detection/manifest.ts';
import type { PackageRequirement } from '../../providers/builds/detection/node-version.ts';
import { readText } from '../read-text.ts';
import type { Layout } from './layout.ts';

/** The lockfiles of npm. From npm 7 on, they contain the engines of packages, as one of pnpm does in another form. One of Yarn does not. */
const NPM_LOCKFILES: readonly (string | undefined)[] = ['package-lock.json', 'npm-shrinkwrap.json'];

/** Returns the member of an object with a name from the repository. */
const ownMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * Returns the versions of Node that the direct dependencies of an application require, according to the lockfile of npm.
 * @param lockfile the name of the lockfile that the installation uses
 */
export function enginesOfDependencies(
  { app, install }: Pick<Layout, 'app' | 'install'>,
  lockfile: string | undefined,
  manifest: Manifest | undefined,
): PackageRequirement[] {
  if (lockfile === undefined || !NPM_LOCKFILES.includes(lockfile)) return [];
  const packages = memberOf(parseJson(readText(join(install, lockfile))), 'packages');
  const workspace = relative(install, app).split(sep).join('/');
  const entryOf = (name: string): unknown => {
    const entry =
      ownMember(packages, `${workspace}/node_modules/${name}`) ?? ownMember(packages, `node_modules/${name}`);
    const resolved = memberOf(entry, 'resolved');
    return memberOf(entry, 'link') === true ? ownMember(packages, String(resolved)) : entry;
  };
  const names = Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies });
  return names.flatMap((name) => {
    const range = memberOf(memberOf(entryOf(name), 'engines'), 'node');
    return typeof range === 'string' ? [{ package: name, range }] : [];
  });
}
