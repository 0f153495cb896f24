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
];

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
