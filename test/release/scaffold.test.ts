import { afterAll, expect, test } from 'vitest';
import { copyRepository, SCAFFOLDS } from '../support/scaffolded.ts';

/** The tests of the whole hold the scaffolds. scripts/scaffold/generated.test.ts has what is quick. */
const repository = copyRepository();
afterAll(() => repository.remove());
const LONG = 600_000;
const written: string[] = [];

test(
  'the inventories of routes, rights, machines, rules and pages, and the reference, accept what was generated',
  async () => {
    for (const scaffold of SCAFFOLDS) written.push(...(await repository.scaffold(...scaffold)));
    const inventories = ['routes', 'rights', 'machines', 'dashboard-page'].map(
      (name) => `test/template/${name}.test.ts`,
    );
    // As CONTRIBUTING says after a change of what clients see.
    expect(await repository.run('node', 'scripts/client-operations.ts')).toMatchObject({ code: 0 });
    const all = [...inventories, 'events/rules.test.ts', 'contract/reference', 'client'];
    const options = ['run', '--project', 'unit', '--testTimeout', '120000'];
    const { code, output } = await repository.run('vitest', ...options, ...all);
    expect(code, output).toBe(0);
  },
  LONG,
);

test(
  'its unit tests pass',
  async () => {
    const generated = written.filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/'));
    expect(generated.length).toBeGreaterThan(1);
    const options = ['run', '--project', 'unit', '--testTimeout', '120000'];
    const { code, output } = await repository.run('vitest', ...options, ...generated);
    expect(code, output).toBe(0);
    for (const path of generated) expect(output).toContain(path);
  },
  LONG,
);

test(
  'its endpoints answer over HTTP as their tests say',
  async () => {
    const generated = written.filter((path) => path.startsWith('test/api/'));
    expect(generated).toHaveLength(SCAFFOLDS.filter(([kind]) => kind === 'endpoint').length);
    const { code, output } = await repository.run('vitest', 'run', '--project', 'platform', ...generated);
    expect(code, output).toBe(0);
    for (const path of generated) expect(output).toContain(path);
  },
  LONG,
);
