import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
/** Entries that a clone does not have. `node_modules` is linked instead. */
const LEFT_OUT = /^(?:\.git|\.local|cdk\.out|coverage|dist)$|(?:^|\/)node_modules$/;
const TIMEOUT_MS = 600_000;

/** One of each kind, and the variants that take another way through the repository. */
const SCAFFOLDS = [
  ['endpoint', 'getGadget', '--area', 'apps'],
  ['endpoint', 'createGadget', '--area', 'dns'],
  ['endpoint', 'restartGadget', '--area', 'hosting', '--dashboard'],
  ['entity', 'Gadget', '--area', 'apps'],
  ['rule', 'startGadget', '--area', 'apps', '--entity', 'Gadget'],
  ['rule', 'countGadget', '--area', 'ai', '--entity', 'App'],
  ['workflow', 'makeGadget', '--area', 'databases'],
];

let copy: string;
const written: string[] = [];

/** Runs a command in the copy. Its output is the failure's message. */
async function run(command: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  // Nothing of this run of vitest is for the one inside.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|VITE_|NODE_ENV$|TEST$)/.test(name));
  const child = spawn(command, args, {
    cwd: copy,
    env: {
      ...Object.fromEntries(inherited),
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'scaffold-'));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(ROOT, path)) });
  for (const modules of ['node_modules', 'local/runtimes/node_modules']) {
    symlinkSync(join(ROOT, modules), join(copy, modules), 'dir');
  }
}, TIMEOUT_MS);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test.each(SCAFFOLDS)(
  'npm run new -- %s %s',
  async (...args) => {
    const { code, output } = await run('node', 'scripts/new.ts', ...args);
    expect(code, output).toBe(0);
    written.push(...[...output.matchAll(/^ {2}([\w./-]+\.\w+)$/gm)].map(([, path = '']) => path));
  },
  TIMEOUT_MS,
);

test(
  'what was generated passes types and linters',
  async () => {
    expect(written.length).toBeGreaterThan(25);
    const types = await run('tsc');
    expect(types.code, types.output).toBe(0);
    const sources = [...new Set(written)].filter((path) => path.endsWith('.ts'));
    const lint = await run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...sources);
    expect(lint.code, lint.output).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'its unit tests pass, and the inventories of routes, rights, machines, rules and pages accept it',
  async () => {
    const generated = written.filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/'));
    const inventories = ['routes', 'rights', 'machines', 'dashboard-page'].map(
      (name) => `test/template/${name}.test.ts`,
    );
    const all = [...generated, ...inventories, 'events/rules.test.ts'];
    const { code, output } = await run('vitest', 'run', '--project', 'unit', '--testTimeout', '120000', ...all);
    expect(code, output).toBe(0);
    for (const path of generated) expect(output).toContain(path);
  },
  TIMEOUT_MS,
);

test(
  'its endpoints answer over HTTP as their tests say',
  async () => {
    const generated = written.filter((path) => path.startsWith('test/api/'));
    expect(generated).toHaveLength(3);
    const { code, output } = await run('vitest', 'run', '--project', 'platform', ...generated);
    expect(code, output).toBe(0);
    for (const path of generated) expect(output).toContain(path);
  },
  TIMEOUT_MS,
);

test(
  'refuses to overwrite a file, and an unknown kind, area or entity',
  async () => {
    for (const [args, reason] of [
      [['endpoint', 'getGadget', '--area', 'apps'], 'already exists'],
      [['screen', 'Gadget', '--area', 'apps'], 'usage:'],
      [['entity', 'Gadget', '--area', 'things'], '--area must be one of accounts'],
      [['rule', 'stopGadget', '--area', 'apps', '--entity', 'Nothing'], '--entity must be one of Account'],
      [['endpoint', 'gadget', '--area', 'apps'], 'a verb and a noun are required'],
      [['endpoint', 'getOther', '--area', 'apps', '--path', '/other'], '--path must begin with /v1/'],
      [['endpoint', 'getOther', '--area', 'apps', '--colour', 'red'], "Unknown option '--colour'"],
    ] as const) {
      const { code, output } = await run('node', 'scripts/new.ts', ...args);
      expect(code, output).toBe(2);
      expect(output).toContain(reason);
    }
  },
  TIMEOUT_MS,
);
