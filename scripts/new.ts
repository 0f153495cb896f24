/**
 * `npm run new -- endpoint getThing --area apps`: creates the files of a new endpoint, entity, rule or workflow with their test, and
 * registers them (CONTRIBUTING.md, Recipes).
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { applyChange, type Change } from './scaffold/change.ts';
import { endpoint } from './scaffold/endpoint.ts';
import { entity } from './scaffold/entity.ts';
import { parseArea, parseName, UsageError } from './scaffold/names.ts';
import { rule } from './scaffold/rule.ts';
import { workflow } from './scaffold/workflow.ts';

const USAGE = `usage:
  npm run new -- endpoint getThing --area apps [--method GET] [--path /v1/things/{id}] [--access read] [--dashboard]
  npm run new -- entity Thing --area apps
  npm run new -- rule startThing --area apps --entity App
  npm run new -- workflow makeThing --area apps`;
const ROOT = resolve(import.meta.dirname, '..');

/** Returns the change that the command line requests. @throws UsageError */
function changeFor(args: string[]): Change {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      area: { type: 'string' },
      method: { type: 'string' },
      path: { type: 'string' },
      access: { type: 'string' },
      dashboard: { type: 'boolean' },
      entity: { type: 'string' },
    },
  });
  const [kind, name, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`unexpected: ${others.join(' ')}`);
  switch (kind) {
    case 'endpoint':
      return endpoint(parseName(name, 'getThing'), parseArea(values.area), values);
    case 'entity':
      return entity(parseName(name, 'Thing'), parseArea(values.area));
    case 'rule':
      return rule(ROOT, parseName(name, 'startThing'), parseArea(values.area), values.entity);
    case 'workflow':
      return workflow(parseName(name, 'makeThing'), parseArea(values.area));
    default:
      throw new UsageError(USAGE);
  }
}

try {
  const change = changeFor(process.argv.slice(2));
  const written = applyChange(ROOT, change);
  // Sorts imports and wraps lines. The linter's configuration would read the whole project, even with the linter disabled.
  const sources = written.filter((path) => path.endsWith('.ts'));
  const biome = resolve(ROOT, 'node_modules/.bin/biome');
  const { status } = spawnSync(
    biome,
    ['check', '--write', '--config-path=biome.format.json', '--log-level=error', ...sources],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  console.log(
    ['written:', ...written.map((path) => `  ${path}`), 'next:', ...change.next.map((step) => `  - ${step}`)].join(
      '\n',
    ),
  );
  process.exitCode = status ?? 1;
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  console.error(isUsage ? (error as Error).message : error);
  process.exitCode = 2;
}
