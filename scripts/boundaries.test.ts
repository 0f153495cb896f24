import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import {
  ARCHITECTURE_FILE,
  AREAS,
  areasTable,
  BIOME_FILE,
  biomeText,
  LAYERS,
  PARTITIONS,
  SCREENS,
  withAreasTable,
} from './boundaries.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Checks whether a node of a graph reaches itself. */
function hasCycle(graph: Record<string, readonly string[]>): boolean {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    (graph[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  return Object.keys(graph).some((node) => reaches(node, node));
}

test('layers and areas import each other without cycles', () => {
  expect(hasCycle(LAYERS)).toBe(false);
  expect(hasCycle(AREAS)).toBe(false);
  expect(hasCycle(SCREENS)).toBe(false);
});

test('every permission of a layer is used; all may import the contract', () => {
  const used = (layer: string): string[] =>
    readdirSync(join(ROOT, layer), { recursive: true })
      .map((file) => join(ROOT, layer, `${file}`))
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|node_modules|test-harness\.ts$/.test(file))
      .flatMap((file) => readFileSync(file, 'utf8').match(/(?<=(?:from|import\() ?'(?:\.\.\/)+)[a-z]+(?=\/)/g) ?? []);
  const unused = Object.entries(LAYERS).flatMap(([layer, allowed]) => {
    const found = new Set(used(layer));
    return allowed.filter((name) => name !== 'contract' && !found.has(name)).map((name) => `${layer}: ${name}`);
  });
  expect(unused).toEqual([]);
});

/** Folders that hold source code; `dashboard/` has others. */
const sourceFolders = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) =>
      readdirSync(join(ROOT, folder, name), { recursive: true }).some((file) => /\.tsx?$/.test(`${file}`)),
    );

test('every folder that is divided into areas has a rule for each of its folders', () => {
  for (const { folder, areas, base = [], composers } of PARTITIONS) {
    const known = [...Object.keys(areas), ...base, ...composers.map((name) => name.replace(/\/\*\*$/, ''))];
    expect(
      sourceFolders(folder).filter((name) => !known.includes(name)),
      folder,
    ).toEqual([]);
  }
});

test('the generated rules and the architecture page follow the table: npm run boundaries', () => {
  expect(readFileSync(BIOME_FILE, 'utf8')).toBe(biomeText());
  const page = readFileSync(ARCHITECTURE_FILE, 'utf8');
  expect(page).toContain(areasTable());
  expect(withAreasTable(page)).toBe(page);
});

const REFUSED = [
  ['domain/webhooks/planted.ts', "import { findApp } from '../apps/apps.ts';", 'webhooks may import'],
  ['domain/apps/planted.ts', "import { createApp } from '../processes/create-app.ts';", 'apps may import'],
  ['domain/billing/planted.ts', "import { endMove } from '../moves/end.ts';", 'billing may import'],
  ['contract/limits/planted.ts', "import { App } from '../apps/apps.ts';", 'may import no area'],
  ['domain/planted.ts', "import { findApp } from './apps/apps.ts';", 'may import no area'],
  ['contract/dns/planted.ts', "import { createApp } from '../apps/apps.ts';", 'dns may import'],
  ['table/entities/dns.ts', "import { App } from './apps.ts';", 'dns may import'],
  ['events/webhooks.ts', "import { hostingRules } from './hosting.ts';", 'webhooks may import'],
  ['dashboard/billing/Planted.tsx', "import { App } from '../apps/api.ts';", 'billing may import'],
  ['dashboard/ui/Planted.tsx', "import { App } from '../apps/api.ts';", 'may import no area'],
  ['contract/planted.ts', "import { deps } from '../runtime/deps.ts';", 'contract/ may import'],
  ['domain/dns/planted.ts', "import { deps } from '../../runtime/deps.ts';", 'domain/ may import'],
] as const;

const ACCEPTED = [
  ['domain/deployments/planted.ts', "import { findApp } from '../apps/apps.ts';"],
  ['domain/webhooks/planted.ts', "import { createApp } from '../../contract/apps/apps.ts';"],
  ['dashboard/shell/nav.ts', "import { App } from '../apps/api.ts';"],
  ['dashboard/overview/Planted.tsx', "import { App } from '../apps/api.ts';"],
  ['domain/processes/planted.ts', "import { findApp } from '../apps/apps.ts';"],
] as const;

test('the linter refuses every import against the table', { timeout: 120_000 }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'boundaries-'));
  const plant = (files: readonly (readonly [string, string, string?])[]) => {
    for (const folder of ['domain', 'dashboard']) rmSync(join(copy, folder), { recursive: true, force: true });
    for (const [file, line] of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true });
      writeFileSync(join(copy, file), `${line}\n`);
    }
    const parameters = [
      'lint',
      '--only=style/noRestrictedImports',
      '--reporter=github',
      ...files.map(([file]) => file),
    ];
    return spawnSync(join(ROOT, 'node_modules', '.bin', 'biome'), parameters, { cwd: copy, encoding: 'utf8' });
  };
  try {
    const settings = readdirSync(ROOT).filter((name) => name.startsWith('biome.'));
    for (const name of [...settings, '.gitignore']) cpSync(join(ROOT, name), join(copy, name));
    const { stdout } = plant(REFUSED);
    const findings = stdout.split('\n');
    for (const [file, , message] of REFUSED) {
      expect(findings.filter((line) => line.includes(`/${file},`)).join('\n')).toContain(message);
    }
    const accepted = plant(ACCEPTED);
    expect({ status: accepted.status, output: accepted.stdout }).toMatchObject({ status: 0 });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});
