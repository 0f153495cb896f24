import { expect, test } from 'vitest';
import { describeEngines, engineNote } from './engines.ts';

test.each([
  [
    'npm',
    `npm error code EBADENGINE
npm error engine Unsupported engine
npm error engine Not compatible with your version of node/npm: a@1.0.0
npm error notsup Not compatible with your version of node/npm: a@1.0.0
npm error notsup Required: {"node":">=26","npm":">=12"}
npm error notsup Actual:   {"node":"v24.21.0","npm":"11.19.1"}
`,
    '"engines" of a@1.0.0 requires node >=26, npm >=12, and node v24.21.0, npm 11.19.1 is used.',
  ],
  [
    'npm, by devEngines',
    `npm error code EBADDEVENGINES
npm error EBADDEVENGINES Invalid devEngines.runtime
npm error EBADDEVENGINES Invalid semver version ">=26" does not match "v24.21.0" for "runtime"
`,
    '"devEngines.runtime" of package.json requires >=26, and v24.21.0 is used.',
  ],
  [
    'pnpm',
    ` ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment (bad pnpm and/or Node.js version)

Your Node version is incompatible with "/tmp/app".

Expected version: >=26
Got: v24.21.0

This is happening because the package's manifest has an engines.node field specified.
`,
    '"engines" of package.json requires Node >=26, and v24.21.0 is used.',
  ],
])('names the versions by which %s refuses to install, and the remedy', (_tool, printed, expected) => {
  expect(describeEngines(printed)).toContain(expected);
  expect(describeEngines(printed)).toContain('Set nodeVersion, or change the field: without engine-strict');
});

test.each([
  'npm error EBADDEVENGINES Invalid name "pnpm" does not match "npm" for "packageManager"\n',
  'Your pnpm version is incompatible with "/tmp/app".\n\nExpected version: >=13\nGot: 12.21.0\n',
])('advises no version of Node where that of a package manager is refused: %s', (printed) => {
  expect(describeEngines(printed)).toMatch(/pnpm.* is used\. Change the field: without engine-strict/);
});

test('returns nothing for another failure', () => {
  expect(describeEngines('npm error code E404\nnpm error 404 Not Found')).toBe('');
});

const unsupported = (name: string, required: string) =>
  `npm warn EBADENGINE Unsupported engine {\nnpm warn EBADENGINE   package: '${name}',\nnpm warn EBADENGINE   required: { ${required} },\nnpm warn EBADENGINE   current: { node: 'v22.23.3', npm: '11.19.1' }\nnpm warn EBADENGINE }\n`;

test('the log names packages that require another version of Node, about which npm only warns', () => {
  const others = unsupported('tool@1.0.0', "npm: '>=12', node: '>=18'");
  const printed = `${others}${unsupported('@adonisjs/core@7.3.1', "node: '>=24.0.0'")}${unsupported('edge@9.1.1', "node: '>=24'")}`;
  expect(engineNote(printed)).toBe(
    'warning: packages require another Node than v22.23.3: @adonisjs/core@7.3.1 (>=24.0.0) and 1 more. If the build or the release fails, set nodeVersion.',
  );
  expect(engineNote(others)).toBeUndefined();
});

test('what dependencies print does not keep the builder busy', () => {
  const required = `${'EBADENGINE required: {'.repeat(800)}${" node: 'x'".repeat(2000)}${'y'.repeat(20_000)}`;
  expect(engineNote(`EBADENGINE package: 'a',\n${required}\n`)).toBeUndefined();
});

test('explains the refusal of Yarn 1', () => {
  const printed =
    'error edge@9.1.1: The engine "node" is incompatible with this module. Expected version ">=24". Got "22.23.3"\n';
  expect(describeEngines(printed)).toBe(': edge@9.1.1 requires node >=24, and 22.23.3 is used. Set nodeVersion');
});
