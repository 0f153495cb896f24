/** Reports of package managers that refuse to install with this version of Node or of their own, with what they say of it. */
const REFUSALS: readonly [report: RegExp, what: (words: readonly string[]) => string][] = [
  [
    /^npm (?:error|ERR!) notsup Not compatible with your version of node\/npm: (\S+)\nnpm (?:error|ERR!) notsup Required: (\{.*\})\nnpm (?:error|ERR!) notsup Actual: +(\{.*\})$/m,
    ([of = '', required = '', used = '']) => describe(`"engines" of ${of}`, inWords(required), inWords(used), true),
  ],
  [
    /^npm (?:error|ERR!) EBADDEVENGINES Invalid (?:semver version|name) "(.+)" does not match "(.+)" for "(\w+)"$/m,
    ([required = '', used = '', of = '']) =>
      describe(`"devEngines.${of}" of package.json`, required, used, of === 'runtime'),
  ],
  [
    // Of the repository itself pnpm names the directory.
    /^Your (\w+) version is incompatible with "(.+)"\.\n\nExpected version: (.+)\nGot: (.+)$/m,
    ([program = '', of = '', required = '', used = '']) =>
      describe(
        `"engines" of ${of.startsWith('/') ? 'package.json' : of}`,
        `${program} ${required}`,
        used,
        program === 'Node',
      ),
  ],
];

const describe = (field: string, required: string, used: string, isOfNode: boolean): string =>
  `: ${field} requires ${required}, and ${used} is used. ${isOfNode ? 'Set nodeVersion, or change' : 'Change'} the field: without engine-strict, or with "onFail": "warn", it only warns`;

/** Writes an object of npm's report as words: `node >=26, npm >=12`. */
const inWords = (versions: string): string =>
  versions.replace(/[{}"]/g, '').replaceAll(',', ', ').replaceAll(':', ' ').trim();

/** Returns the cause and the remedy where package.json or a package excludes the version that is used; nothing for another failure. */
export function describeEngines(printed: string): string {
  for (const [report, what] of REFUSALS) {
    const [, ...words] = report.exec(printed) ?? [];
    if (words.length > 0) return what(words);
  }
  return '';
}
