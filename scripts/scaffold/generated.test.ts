import { afterAll, expect, test } from 'vitest';
import { copyRepository, SCAFFOLDS } from '../../test/support/scaffolded.ts';

/** Scaffolds in a copy of the repository. test/release/scaffold.test.ts runs their tests over HTTP. */
const repository = copyRepository();
afterAll(() => repository.remove());
const LONG = 300_000;
const written: string[] = [];

test.each(SCAFFOLDS)(
  'npm run new -- %s %s',
  async (...args) => {
    const files = await repository.scaffold(...args);
    expect(files.length).toBeGreaterThan(1);
    written.push(...files);
  },
  LONG,
);

test(
  'what was generated passes types and linters',
  async () => {
    expect(written.length).toBeGreaterThan(25);
    // With the four checkers and collections by default, it takes twice the processor time: each checks for itself what files share.
    const types = await repository.run('env', 'GOGC=400', 'tsc', '--checkers', '1');
    expect(types.code, types.output).toBe(0);
    const sources = [...new Set(written)].filter((path) => path.endsWith('.ts'));
    const lint = await repository.run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', ...sources);
    expect(lint.code, lint.output).toBe(0);
  },
  LONG,
);

test.each([
  [['endpoint', 'getGadget', '--area', 'apps'], 'already exists'],
  [['screen', 'Gadget', '--area', 'apps'], 'usage:'],
  [['entity', 'Gadget', '--area', 'things'], '--area must be one of accounts'],
  [['rule', 'stopGadget', '--area', 'apps', '--entity', 'Nothing'], '--entity must be one of Account'],
  [['endpoint', 'gadget', '--area', 'apps'], 'a verb and a noun are required'],
  [['endpoint', 'getOther', '--area', 'apps', '--path', '/other'], '--path must begin with /v1/'],
  [['endpoint', 'getOther', '--area', 'apps', '--color', 'red'], "Unknown option '--color'"],
])(
  'refuses %j',
  async (args, reason) => {
    const { code, output } = await repository.run('node', 'scripts/new.ts', ...args);
    expect(code, output).toBe(2);
    expect(output).toContain(reason);
  },
  LONG,
);
