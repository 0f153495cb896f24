import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { raw } from '../support/harness.ts';

/**
 * Redocly's recommended rules and Spectral's `oas` rules on the documents that the platform serves. Both linters are large
 * and used here only, so the test installs them. `contract/reference/openapi.test.ts` keeps the same in every run.
 */

const TIMEOUT_MS = 180_000;
const folder = mkdtempSync(join(tmpdir(), 'openapi-lint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  // The rule against localhost as a server is for published documents; this one is of the local run.
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\nrules:\n  no-server-example.com: off\n');
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
  const packages = ['@redocly/cli@2.77.0', '@stoplight/spectral-cli@6.16.3'];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}, TIMEOUT_MS);

interface Finding {
  code: string;
  message: string;
  path: string[];
}

/** Returns what a linter prints, whatever its exit code. */
function run(program: string, args: string[]): string {
  try {
    return execFileSync(join(folder, 'node_modules/.bin', program), args, { cwd: folder, encoding: 'utf8' });
  } catch (error) {
    return String(Reflect.get(error as object, 'stdout'));
  }
}

const redocly = (file: string): unknown[] => JSON.parse(run('redocly', ['lint', file, '--format', 'json'])).problems;
const spectral = (file: string): Finding[] =>
  JSON.parse(run('spectral', ['lint', file, '-r', '.spectral.yaml', '-f', 'json', '--quiet']));

test.each([
  ['platform', '/v1/openapi.json'],
  ['dashboard', '/dashboard/v1/openapi.json'],
])(
  'the document for the %s has no finding of Redocly and of Spectral',
  async (name, path) => {
    const text = await (await raw(path)).text();
    const file = `${name}.json`;
    writeFileSync(join(folder, file), text);
    expect({ redocly: redocly(file), spectral: spectral(file) }).toEqual({ redocly: [], spectral: [] });
    // Both linters do find: an operation without its summary, an undefined reference.
    const broken = JSON.parse(text) as { paths: Record<string, Record<string, { summary?: string; tags?: string[] }>> };
    const [operation] = Object.values(Object.values(broken.paths)[0] ?? {});
    delete operation?.summary;
    if (operation) operation.tags = ['Unknown'];
    writeFileSync(join(folder, file), JSON.stringify(broken));
    expect(redocly(file)).toHaveLength(1);
    expect(spectral(file).map(({ code }) => code)).toContain('operation-tag-defined');
  },
  TIMEOUT_MS,
);
