import { minVersion, satisfies, validRange } from 'semver';
import { NODE_VERSIONS } from '../../../contract/enums.ts';
import type { Job } from '../builds.ts';
import type { Manifest } from './manifest.ts';

type NodeVersion = Job['nodeVersion'];

/** A major version of Node, and a note for the owner about the choice. */
export interface NodeChoice {
  version: NodeVersion;
  note: string | undefined;
}

/** The versions of Node that a repository requires. */
export interface NodeRequirement {
  /** In npm's syntax of version ranges. */
  range: string;
  /** The file, and in `package.json` also the field (`engines.node`), that has the requirement. */
  file: string;
  field?: string;
}

/** The versions of Node that a package requires. */
export interface PackageRequirement {
  package: string;
  range: string;
}

/** Returns the requirement in package.json: from `engines`, else from `devEngines`, for which npm refuses to install on a mismatch. */
function readEngines(manifest: Pick<Manifest, 'engines' | 'devEngines'> | undefined): NodeRequirement | undefined {
  const runtimes = [manifest?.devEngines?.runtime ?? []].flat();
  const { version } = runtimes.find(({ name }) => name === 'node') ?? {};
  const file = 'package.json';
  if (manifest?.engines.node !== undefined) return { range: manifest.engines.node, file, field: 'engines.node' };
  return version === undefined ? undefined : { range: version, file, field: 'devEngines.runtime' };
}

/** Returns the major version that package.json pins for Volta. */
function readVolta(manifest: Pick<Manifest, 'volta'> | undefined): NodeRequirement | undefined {
  const found = readVersionFile('package.json', manifest?.volta.node ?? '');
  return found && { ...found, field: 'volta.node' };
}

/** Code names of LTS releases, whose major version never changes (https://github.com/nodejs/release). */
const CODE_NAMES: Readonly<Record<string, string>> = {
  'lts/gallium': '16',
  'lts/hydrogen': '18',
  'lts/iron': '20',
  'lts/jod': '22',
  'lts/krypton': '24',
};

/** Files of Node version managers, in order of precedence. */
export const VERSION_FILES: readonly string[] = [
  '.nvmrc',
  '.node-version',
  '.tool-versions',
  'mise.toml',
  '.mise.toml',
];

/** Maximum length of a version manager's file. Most have one line, but mise.toml may also have tasks. */
export const MAX_VERSION_FILE = 16 * 1024;

/**
 * Returns the requirement in a version manager's file, reduced to the major version because minor versions are not available. Returns
 * undefined for names whose version changes over time (`lts/*`, `node`), and for a longer file: requests wait for this.
 */
export function readVersionFile(file: string, text: string): NodeRequirement | undefined {
  if (text.length > MAX_VERSION_FILE) return undefined;
  const plain = text.replace(/#.*/g, '').trim();
  // asdf and mise have one line for each tool, asdf with fallback versions after the first.
  const tool =
    file === '.tool-versions' ? /^(?:nodejs|node)[ \t]+(\S+)/m : /^[ \t]*(?:nodejs|node)[ \t]*=[ \t]*["']([^"'\n]+)/m;
  const name = /^\.(nvmrc|node-version)$|\.json$/.test(file) ? plain : (tool.exec(plain)?.[1] ?? '');
  const [, major = CODE_NAMES[name.toLowerCase()]] = /^v?(\d{1,3})(?:\.[\dx*]+)*$/.exec(name) ?? [];
  return major === undefined ? undefined : { range: `${major}.x`, file };
}

/**
 * Returns the requirement of one directory: that of its package.json, else of the first file of a version manager that has one, else Volta's.
 * The nearest directory that has a requirement decides, from the application's up to the repository's.
 * @param files the names of its files of version managers and their texts, in the order of {@link VERSION_FILES}
 */
export function requirementIn(
  manifest: Pick<Manifest, 'engines' | 'devEngines' | 'volta'> | undefined,
  files: readonly (readonly [name: string, text: string])[],
): NodeRequirement | undefined {
  const ofFile = () => files.map(([name, text]) => readVersionFile(name, text)).find((found) => found !== undefined);
  return readEngines(manifest) ?? ofFile() ?? readVolta(manifest);
}

/** The supported versions in numeric order, oldest first. */
const ASCENDING = [...NODE_VERSIONS].sort((a, b) => Number(a) - Number(b));

/** Returns true if a major version matches a range. Compares its highest possible version, because the exact one is unknown here. */
const allows = (range: string, major: NodeVersion): boolean => satisfies(`${major}.999.999`, range);

type NodeSettings = Pick<Job, 'nodeVersion' | 'nodeVersionByDefault'>;

/**
 * Chooses the version of Node from the requirements of the repository and of the application's dependencies. A version that the owner set
 * takes precedence, with a warning if the repository requires another; npm also only warns. A range that npm cannot parse is ignored.
 *
 * Dependencies only raise the version, within the repository's requirement: their upper limits are often outdated, and a version below the
 * default receives fewer security updates.
 */
export function chooseNode(
  settings: NodeSettings,
  requirement: NodeRequirement | undefined,
  dependencies: readonly PackageRequirement[] = [],
): NodeChoice {
  const chosen = chooseForRepository(settings, requirement);
  if (!settings.nodeVersionByDefault) return chosen;
  const range = requirement && validRange(requirement.range) !== null ? requirement.range : '*';
  const possible = ASCENDING.filter((major) => Number(major) >= Number(chosen.version) && allows(range, major));
  const satisfiable = dependencies.filter((each) => possible.some((major) => allows(each.range, major)));
  const version = possible.find((major) => satisfiable.every((each) => allows(each.range, major)));
  if (version === undefined || version === chosen.version) return chosen;
  const reason = satisfiable.find((each) => !allows(each.range, chosen.version));
  return { version, note: reason && `${reason.package} requires Node ${reason.range}: using Node ${version}` };
}

function chooseForRepository(
  { nodeVersion, nodeVersionByDefault = false }: NodeSettings,
  requirement: NodeRequirement | undefined,
): NodeChoice {
  const required = requirement?.range;
  const matches = (major: NodeVersion) => required !== undefined && allows(required, major);
  if (required === undefined || validRange(required) === null || matches(nodeVersion)) {
    return { version: nodeVersion, note: undefined };
  }
  const matching = ASCENDING.filter(matches);
  const { file, field } = requirement ?? { file: '' };
  const found = `${file} requires Node ${required}${field === undefined ? '' : ` (${field})`}`;
  if (!nodeVersionByDefault) {
    const advice = matching.length > 0 ? `set nodeVersion to ${matching.join(' or ')}` : 'no available version matches';
    const note = `warning: ${found}, but nodeVersion is ${nodeVersion}: ${advice}`;
    return { version: nodeVersion, note };
  }
  const newest = matching.at(-1);
  if (newest !== undefined) return { version: newest, note: `${found}: using Node ${newest}` };
  const wanted = minVersion(required)?.major ?? 0;
  const nearest = ASCENDING.find((major) => Number(major) >= wanted) ?? ASCENDING.at(-1) ?? nodeVersion;
  const note = `warning: ${found}, which is not available: using Node ${nearest}`;
  return { version: nearest, note };
}
