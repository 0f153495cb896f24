import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { truncate } from '../../contract/text.ts';
import { readText } from '../read-text.ts';

/** Maximum characters of a name, an address or a command that an explanation quotes. */
const MAX_QUOTED = 200;

/** Git's messages about a repository that it cannot read, beside which package managers print the command that they ran. */
const UNREADABLE =
  /Permission denied \(publickey\)|Host key verification failed|could not read (?:Username|Password)|Authentication failed for|Repository not found|Could not read from remote repository|Could not resolve host(?:name)?\b/i;
/** Matches Git's command in the output of npm, pnpm and Yarn 1, up to the address of the repository. */
const GIT_ADDRESS =
  /(?:\bgit (?:-\S{1,60} (?:\w{1,20}\.\S{1,60} )?){0,4}|^Arguments: )(?:ls-remote|clone|fetch)\b[^\n]{0,300}?((?:git\+)?(?:ssh|https?|git):\/\/[^\s'"]+|git@[^\s'"]+)/m;
/** Matches the report of Yarn 4, which requires a list of the repositories that may be read. */
const YARN_BLOCKED =
  /Request to '([^']+)' has been blocked because it doesn't match any of the patterns in 'approvedGitRepositories'/;

/** Reports of package managers that the registry does not have the file of a package. */
const NO_FILE: readonly RegExp[] = [
  /^npm (?:error|ERR!) 404 Not Found - GET (\S{1,500}\.tgz)\b/m,
  /^error (?:Error|An unexpected error occurred): "?(https?:\S{1,500}\.tgz)\S{0,100}: Request failed \\?"404/m,
  /\bGET (\S{1,500}\.tgz): Not Found - 404/,
  /Response Code: 404 .{0,40}\n(?:.{0,60}\n)?.{0,30}Request URL: (\S{1,500}\.tgz)/,
  /^error: GET (\S{1,500}\.tgz) - 404$/m,
];
/** Reports of package managers that the registry has no such package. */
const NO_PACKAGE: readonly RegExp[] = [
  /^npm (?:error|ERR!) 404\s+(?:The requested resource )?'((?:@[^/\s']+\/)?[^@\s']+)(?:@[^']*)?' (?:could not be found|is not in (?:this|the npm) registry)/m,
  /^((?:@[^/\s]+\/)?[^@\s]+) is not in the npm registry, or you have no permission to fetch it/m,
  /^error Couldn't find package "([^"]+)"/m,
  /^error An unexpected error occurred: "https?:\/\/[^/"]+\/([^"]+): Not found"/m,
  /YN0035: │ ((?:@[^/\s]+\/)?[^@\s]+)@\S+: Package not found/,
  /^error: GET \S{1,500} - 404\nerror: ((?:@[^/\s]+\/)?[^@\s]+)@\S+ failed to resolve$/m,
];
/** Reports of package managers that the registry has the package, but not the version. */
const NO_VERSION: readonly RegExp[] = [
  /No matching version found for (\S+?)\.?(?: while|\s*$)/m,
  /^error Couldn't find any versions for "([^"]+)" that matches "([^"]+)"/m,
  /YN0082: │ (\S+): No candidates found/,
  /^error: No version matching .{1,300}\nerror: (\S+@\S+) failed to resolve$/m,
];
/** Reports that the registry refuses to answer without other credentials. */
const REFUSED =
  /^npm (?:error|ERR!) code (E401|E403)\b|\b(ERR_PNPM_FETCH_40[13])\b|^error An unexpected error occurred: ".*: (?:Request failed \\?"(40[13])|authentication)|YN0041:|^error: GET \S{1,500} - (40[13])$/m;
/** Matches npm's report of a failed script: the directory of its package, and the command. */
const NPM_SCRIPT =
  /^npm (?:error|ERR!) path (.+)\nnpm (?:error|ERR!) command failed\nnpm (?:error|ERR!) command (?:\S*\/)?sh -c (.+)$/m;
/** Matches the reports of Yarn and Bun about a failed script of a package. */
const YARN_SCRIPT =
  /^error .*\/node_modules\/((?:@[^/\s]+\/)?[^/\s:]+): Command failed|YN0009: │ ((?:@[^/\s]+\/)?[^@\s]+)@\S+ couldn't be built successfully|^error: (?:pre|post)?install script from "([^"]+)" exited/m;
/** Files of package managers that have the credentials of registries. Without one, the registry refuses the package to everyone. */
const CREDENTIALS = ['.npmrc', '.yarnrc.yml', '.yarnrc'];
/** Messages of the tools that compile native code, and the libraries and programs that they lack. */
const COMPILES = /\bgyp (?:ERR!|verb|info)|node-gyp|node-pre-gyp|prebuild-install|cmake-js/;
const LACKS: readonly RegExp[] = [
  /Package '?([\w.+-]+)'?,? (?:was not found in the pkg-config search path|required by)/,
  /fatal error: ([\w./+-]+\.h(?:pp)?): No such file/,
  /\b(?:sh|bash): (?:line )?\d+: ([\w.+-]+): (?:command )?not found/,
  /gyp ERR! find (Python) /,
];

/** Matches a directory of a package, at the end. */
const PACKAGE_DIRECTORY = /\/?node_modules\/((?:@[^/]+\/)?[^/]+)$/;

/** Returns the package that pnpm reports with a failed script. Examines each line alone: dependencies may print anything. */
function failedOfPnpm(printed: string): string | undefined {
  for (const line of printed.split('\n')) {
    const script = line.search(/\b(?:postinstall|preinstall|install)\b/);
    if (script < 0 || !/Failed|ELIFECYCLE/.test(line.slice(script))) continue;
    const [directory = ''] = line.split(' ', 1);
    const name = PACKAGE_DIRECTORY.exec(directory.replace(/:$/, ''))?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

const quoted = (text: string): string => truncate(text.trim(), MAX_QUOTED);

/** Returns the cause and the remedy if a dependency is in a Git repository that the build cannot read; otherwise an empty text. */
export function describeGit(printed: string): string {
  const blocked = YARN_BLOCKED.exec(printed)?.[1];
  if (blocked !== undefined)
    return `: Yarn reads ${quoted(blocked)} only if approvedGitRepositories in .yarnrc.yml lists it: add it there, and commit`;
  const address = UNREADABLE.test(printed) ? GIT_ADDRESS.exec(printed)?.[1] : undefined;
  if (address === undefined) return '';
  return `: a dependency is in the Git repository ${quoted(address)}, which the build cannot read. It has no key of private repositories beside the application's: publish the package to a registry, or commit it as files ("file:./packages/name")`;
}

/** Returns the first match of patterns, as one text. */
function matchOf(patterns: readonly RegExp[], printed: string): string | undefined {
  const match = patterns.map((pattern) => pattern.exec(printed)).find((found) => found !== null);
  return match ? quoted(match.slice(1).join('@').replaceAll(/%2f/gi, '/')) : undefined;
}

/** Returns the cause and the remedy if the registry has no such package or version, or refuses it; otherwise an empty text. */
export function describeRegistry(printed: string, directory: string): string {
  const file = matchOf(NO_FILE, printed);
  if (file !== undefined)
    return `: there is no file ${file}, which the lockfile requires: the version was removed, or its address is wrong. Require another version in package.json, install, and commit the lockfile too`;
  const name = matchOf(NO_PACKAGE, printed);
  if (name?.startsWith('@'))
    return `: the registry has no package ${name} for this build. For a private package, commit a file .npmrc with the lines "${name.split('/')[0]}:registry=https://…" and "//…/:_authToken=\${NPM_TOKEN}", and set the variable NPM_TOKEN. Otherwise correct its name in package.json`;
  if (name !== undefined)
    return `: the registry has no package ${name}: correct its name in package.json or remove it, and commit the lockfile too`;
  const version = matchOf(NO_VERSION, printed);
  if (version !== undefined)
    return `: the registry has no version ${version}: require another one in package.json, and commit the lockfile too`;
  if (REFUSED.test(printed) && CREDENTIALS.some((file) => existsSync(join(directory, file))))
    return ': the registry refused the credentials of .npmrc or .yarnrc.yml. Set the variable from which that file reads its token to a valid token, and deploy again';
  return '';
}

/** Matches the message of Node about a server whose name does not exist. */
const UNREACHED = /getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ([\w.-]{1,253})/;

/** Returns the cause and the remedy if the server of a package does not exist; otherwise an empty text. */
export function describeUnreached(printed: string, directory: string, lockfile: string): string {
  const [, host] = UNREACHED.exec(printed) ?? [];
  if (host === undefined) return '';
  const file = join(directory, lockfile);
  return existsSync(file) && readText(file).includes(`//${host}/`)
    ? `: there is no server named ${host}, at which ${lockfile} has the addresses of packages: delete ${lockfile}, install with a registry that exists, and commit it`
    : `: there is no server named ${host}. If a file .npmrc or .yarnrc.yml names it, correct that; otherwise deploy again`;
}

/** Returns the cause and the remedy if the install script of a package failed; otherwise an empty text. */
export function describeScript(printed: string): string {
  const [, path, command] = NPM_SCRIPT.exec(printed) ?? [];
  const name =
    PACKAGE_DIRECTORY.exec(path ?? '')?.[1] ??
    failedOfPnpm(printed) ??
    YARN_SCRIPT.exec(printed)
      ?.slice(1)
      .find((found) => found !== undefined);
  if (name === undefined) return '';
  const script = command === undefined ? '' : ` ("${quoted(command)}")`;
  const failed = `: the install script of ${name}${script} failed`;
  const [, host] = UNREACHED.exec(printed) ?? [];
  if (host !== undefined)
    return `${failed}: there is no server named ${host}, from which it downloads a file. Use a version of ${name} that has its files in the registry, or deploy again if that server exists`;
  const lacking = matchOf(LACKS, printed);
  if (lacking === undefined && !COMPILES.test(printed)) return `${failed}: its messages are in the log`;
  const without = lacking === undefined ? '' : ` without ${lacking}, which builds do not have`;
  return `${failed}${without}. It compiles native code: use a version of ${name} that has compiled files for this version of Node on Linux, or another package`;
}
