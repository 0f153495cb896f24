import { satisfies } from 'semver';

/** Reports of package managers that refuse to install with the used version of Node or of themselves, each with its explanation. */
const REFUSALS: readonly [report: RegExp, explain: (matches: readonly string[]) => string][] = [
  [
    /^npm (?:error|ERR!) notsup Not compatible with your version of node\/npm: (\S+)\nnpm (?:error|ERR!) notsup Required: (\{.*\})\nnpm (?:error|ERR!) notsup Actual: +(\{.*\})$/m,
    ([name = '', required = '', used = '']) =>
      describe(`"engines" of ${name}`, formatVersions(required), formatVersions(used), true),
  ],
  [
    /^npm (?:error|ERR!) EBADDEVENGINES Invalid (?:semver version|name) "(.+)" does not match "(.+)" for "(\w+)"$/m,
    ([required = '', used = '', field = '']) =>
      describe(`"devEngines.${field}" of package.json`, required, used, field === 'runtime'),
  ],
  [
    // For the repository itself, pnpm reports the directory instead of a package name.
    /^Your (\w+) version is incompatible with "(.+)"\.\n\nExpected version: (.+)\nGot: (.+)$/m,
    ([program = '', name = '', required = '', used = '']) =>
      describe(
        `"engines" of ${name.startsWith('/') ? 'package.json' : name}`,
        `${program} ${required}`,
        used,
        program === 'Node',
      ),
  ],
  [
    /^error (\S+): The engine "(\w+)" is incompatible with this module\. Expected version "([^"\n]+)"\. Got "([^"\n]+)"$/m,
    ([name = '', program = '', required = '', used = '']) =>
      `: ${name} requires ${program} ${required}, and ${used} is used. ${program === 'node' ? 'Set nodeVersion' : 'Set installCommand to "yarn install --frozen-lockfile --ignore-engines"'}`,
  ],
];

/**
 * Matches npm's warning about one package: its name, the version of Node that it requires, and the version that is used. Its parts have
 * limits: what dependencies print could otherwise keep the builder busy for hours.
 */
const WARNING =
  /EBADENGINE {1,9}package: '([^'\n]{1,300})',\n.{0,20}EBADENGINE {1,9}required: \{[^\n}]{0,200}?\bnode: '([^'\n]{1,200})'.{0,200}\n.{0,20}EBADENGINE {1,9}current: \{ node: '([^'\n]{1,40})'/g;

/** Returns a note for the owner about packages that require another version of Node, about which npm only warns; undefined if there are none. */
export function engineNote(printed: string): string | undefined {
  const [first, ...others] = [...printed.matchAll(WARNING)].filter(
    ([, , required = '', used = '']) => !satisfies(used, required),
  );
  if (!first) return undefined;
  const [, name, required, used] = first;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `warning: packages require another Node than ${used}: ${name} (${required})${more}. If the build or the release fails, set nodeVersion.`;
}

const describe = (field: string, required: string, used: string, isAboutNode: boolean): string =>
  `: ${field} requires ${required}, and ${used} is used. ${isAboutNode ? 'Set nodeVersion, or change' : 'Change'} the field: without engine-strict, or with "onFail": "warn", it only warns`;

/** Formats an object of npm's report: `node >=26, npm >=12`. */
const formatVersions = (versions: string): string =>
  versions.replace(/[{}"]/g, '').replaceAll(',', ', ').replaceAll(':', ' ').trim();

/** Returns the cause and the remedy if package.json or a package excludes the used version; an empty text for other failures. */
export function describeEngines(printed: string): string {
  for (const [report, explain] of REFUSALS) {
    const [, ...matches] = report.exec(printed) ?? [];
    if (matches.length > 0) return explain(matches);
  }
  return '';
}
