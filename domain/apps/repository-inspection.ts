import { posix } from 'node:path';
import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import {
  type inspectRepository as InspectRoute,
  MAX_LISTED_BRANCHES,
} from '../../contract/apps/repository-inspection.ts';
import { DEFAULT_NODE_VERSION } from '../../contract/enums.ts';
import { invalidField } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { detectBuildCommand } from '../../providers/builds/detection/build-script.ts';
import { describeExpectedStart } from '../../providers/builds/detection/expected-start.ts';
import { frameworkOf } from '../../providers/builds/detection/frameworks.ts';
import { lockedBy } from '../../providers/builds/detection/lockfile.ts';
import { InvalidManifest, type Manifest, parseManifest } from '../../providers/builds/detection/manifest.ts';
import {
  chooseNode,
  type NodeRequirement,
  requirementIn,
  VERSION_FILES,
} from '../../providers/builds/detection/node-version.ts';
import type { TreeEntry } from '../../providers/git/packfile.ts';
import { type OpenRemote, type RemoteRepository, UnreadableRepository } from '../../providers/git/remote.ts';
import type { Caller, Deps } from '../deps.ts';
import { assertRepositoryUrl } from './repositories.ts';

type Inspection = Output<typeof InspectRoute>['data'];
type Findings = Pick<Inspection, 'detected' | 'notes'>;

const EMPTY_INSPECTION: Inspection = {
  problem: null,
  defaultBranch: null,
  branches: [],
  hasMoreBranches: false,
  branch: null,
  detected: null,
  notes: [],
};
/** The value of the setting `framework` for each detected framework; NODE for all others. */
const SETTINGS: Readonly<Record<string, NonNullable<Inspection['detected']>['setting']>> = {
  'Next.js': 'NEXTJS',
  Nuxt: 'NUXT',
  Express: 'EXPRESS',
};
/** The version of Node for an application that requires none. */
const DEFAULT_NODE = { nodeVersion: DEFAULT_NODE_VERSION, nodeVersionByDefault: true } as const;

/**
 * GET /dashboard/v1/repositories: the branches of a repository, and what a build would detect in it. For a repository that cannot
 * be read, the response has a `problem` instead of an error status. Throws 400 for an SSH address, which needs the deploy key of an
 * application, and for a host that is not public.
 */
export async function inspectRepository(
  deps: Deps & { openRemote: OpenRemote },
  _caller: Caller,
  { url, branch, rootDirectory = '' }: Input<typeof InspectRoute>,
): Promise<Output<typeof InspectRoute>> {
  assertRepositoryUrl(url, deps.settings.allowLocalRepositories);
  if (parseRepositoryAddress(url)?.scheme !== 'https') {
    throw invalidField(
      'url',
      'must begin with https://. A repository with an SSH address can be read once the application has a deploy key',
    );
  }
  try {
    const repository = await deps.openRemote(url);
    return { data: { ...EMPTY_INSPECTION, ...(await inspectBranch(repository, branch, rootDirectory)) } };
  } catch (error) {
    if (!(error instanceof UnreadableRepository)) throw error;
    return { data: { ...EMPTY_INSPECTION, problem: error.message } };
  }
}

async function inspectBranch(
  repository: RemoteRepository,
  requested: string | undefined,
  rootDirectory: string,
): Promise<Partial<Inspection>> {
  const { branches, defaultBranch = null } = repository;
  if (branches.length === 0) return { problem: 'The repository is empty: push a first commit.' };
  const isDefault = (name: string) => name === defaultBranch;
  const names = branches
    .map(({ name }) => name)
    .sort((a, b) => Number(isDefault(b)) - Number(isDefault(a)) || a.localeCompare(b));
  const name = requested ?? names[0];
  const found = branches.find((branch) => branch.name === name);
  const listed = {
    defaultBranch,
    branches: names.slice(0, MAX_LISTED_BRANCHES),
    hasMoreBranches: names.length > MAX_LISTED_BRANCHES,
    branch: found?.name ?? null,
  };
  if (!found) return { ...listed, notes: [`The repository has no branch ${name}.`] };
  if (!repository.canReadFiles) {
    return {
      ...listed,
      notes: ['The Git host does not serve single files. The first deployment detects the framework.'],
    };
  }
  return { ...listed, ...(await detect(repository, found.commit, rootDirectory)) };
}

const findFile = (entries: readonly TreeEntry[], file: string) =>
  entries.find(({ name, isTree }) => name === file && !isTree);
const has = (entries: readonly TreeEntry[]) => (file: string) => findFile(entries, file) !== undefined;

/** package.json of the application, and that of the repository if it installs the application's packages. */
type Manifests = readonly [Manifest, Manifest | undefined];

async function detect(repository: RemoteRepository, commit: string, rootDirectory: string): Promise<Findings> {
  const root = await repository.readRoot(commit);
  let directory = root;
  const above = [root];
  for (const part of posix
    .normalize(rootDirectory)
    .split('/')
    .filter((name) => name !== '' && name !== '.')) {
    const next = directory.find(({ name, isTree }) => name === part && isTree);
    if (!next) return { detected: null, notes: [`The directory ${rootDirectory} was not found in the repository.`] };
    directory = await repository.readDirectory(next.id);
    above.unshift(directory);
  }
  const file = findFile(directory, 'package.json');
  if (!file) return { detected: null, notes: [noManifest(root)] };
  try {
    const manifest = parseManifest(await repository.readFile(file.id));
    const isShared = directory !== root && lockedBy(has(directory), manifest).lockfile === undefined;
    const manifests = [manifest, isShared ? await readManifest(repository, root) : undefined] as const;
    const requirement = await readRequirement(repository, above, manifests);
    const procfile = findFile(directory, 'Procfile');
    const text = procfile ? await repository.readFile(procfile.id) : '';
    return describe(manifests, requirement, text, directory, root);
  } catch (error) {
    if (!(error instanceof InvalidManifest)) throw error;
    return { detected: null, notes: [error.message] };
  }
}

/**
 * Returns the requirement of the nearest directory that has one.
 * @param directories the application's directory and those above it
 */
async function readRequirement(
  repository: RemoteRepository,
  directories: readonly (readonly TreeEntry[])[],
  [manifest, root]: Manifests,
): Promise<NodeRequirement | undefined> {
  for (const [index, directory] of directories.entries()) {
    const files: [string, string][] = [];
    for (const name of VERSION_FILES) {
      const file = findFile(directory, name);
      if (file) files.push([name, await repository.readFile(file.id)]);
    }
    const above = index === directories.length - 1 ? root : undefined;
    const requirement = requirementIn(index === 0 ? manifest : above, files);
    if (requirement) return requirement;
  }
  return undefined;
}

/** Returns the package.json of a directory; undefined if there is none. */
async function readManifest(
  repository: RemoteRepository,
  directory: readonly TreeEntry[],
): Promise<Manifest | undefined> {
  const file = findFile(directory, 'package.json');
  return file && parseManifest(await repository.readFile(file.id));
}

function noManifest(root: readonly TreeEntry[]): string {
  if (findFile(root, 'index.html')) return 'There is no package.json: the files are served as they are.';
  return 'There is no package.json. For an application in a subdirectory, set the root directory.';
}

function describe(
  [manifest, rootManifest]: Manifests,
  requirement: NodeRequirement | undefined,
  procfile: string,
  directory: readonly TreeEntry[],
  root: readonly TreeEntry[],
): Findings {
  const framework = frameworkOf(manifest);
  const inDirectory = lockedBy(has(directory), manifest);
  // The packages of a workspace share the lockfile in the repository's root.
  const locked = inDirectory.lockfile === undefined ? lockedBy(has(root), manifest) : inDirectory;
  const node = chooseNode(DEFAULT_NODE, requirement);
  const files = directory.flatMap(({ name, isTree }) => (isTree ? [] : [name]));
  const notes = [
    ...(locked.lockfile === undefined ? ['No lockfile was found: commit one for reproducible builds.'] : []),
  ];
  return {
    detected: {
      name: manifest.name ?? null,
      framework: framework?.name ?? null,
      setting: SETTINGS[framework?.name ?? ''] ?? 'NODE',
      packageManager: locked.name,
      nodeVersion: node.version,
      buildCommand: detectBuildCommand(manifest, framework, {
        runner: locked.name,
        procfile,
        root: rootManifest ?? manifest,
        isRoot: rootManifest === undefined,
        hasFile: has(rootManifest === undefined ? directory : root),
      }),
      start: describeExpectedStart(manifest, framework, files, procfile),
    },
    notes,
  };
}
