import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type Change, withImport } from './change.ts';
import { camel, kebab, singular, UsageError } from './names.ts';

/** Returns the file that defines an entity. @throws UsageError with the list of entities */
function fileOf(root: string, entity: string): string {
  const files = globSync('table/entities/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const defined = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/^export const (\w+) = (?:\/\* @__PURE__ \*\/ )?entity\(/gm)].map(([, name = '']) => ({
      name,
      file,
    }));
  });
  const found = defined.find(({ name }) => name === entity);
  if (!found)
    throw new UsageError(
      `--entity must be one of ${defined
        .map(({ name }) => name)
        .sort()
        .join(', ')}`,
    );
  return found.file.replaceAll('\\', '/');
}

/** Returns the change that adds a rule which calls a domain function for each new item of an entity, with the function and its test. */
export function rule(root: string, name: string, area: string, entity: string | undefined): Change {
  const id = camel(name);
  const file = kebab(name);
  const entityFile = fileOf(root, entity ?? '');
  const type = entity ?? '';
  const item = camel(type);
  const domain = `domain/${area}/${file}.ts`;
  const events = `events/${area}.ts`;
  const isNew = !existsSync(join(root, events));
  const rules = `${camel(singular(area))}Rules`;
  const effectName = file.endsWith(`-${kebab(type)}`) ? file.slice(0, -kebab(type).length - 1) : file;
  const entry = `  '${kebab(type)}.${effectName}': on(${type}).created((${item}) => ${id}(deps, ${item})),\n`;

  const effect = `import type { ${type} } from '../../${entityFile}';
import type { Deps } from '../deps.ts';

/** Effect of a new ${type}. It runs at least once for each: a repetition changes nothing. */
export async function ${id}(_deps: Pick<Deps, 'table'>, _${item}: ${type}): Promise<void> {}
`;
  const twice = `import { expect, test } from 'vitest';
import { memoryTable } from '../../test/support/memory-table.ts';
import { ${id} } from './${file}.ts';

test('a repeated call of ${id} changes nothing', async () => {
  const { table, written } = memoryTable();
  // Give it the fields that the effect reads.
  const ${item} = {} as Parameters<typeof ${id}>[1];
  await ${id}({ table }, ${item});
  const first = written.length;
  await ${id}({ table }, ${item});
  expect(written).toHaveLength(first);
});
`;
  const rulesOfArea = `import { ${id} } from '../${domain}';
import { ${type} } from '../${entityFile}';
import { on, type Rules } from './on.ts';

/** Rules of the area ${area}. */
export const ${rules} = (deps: Parameters<typeof ${id}>[0]): Rules => ({
${entry}});
`;
  const addRule = (text: string) => {
    const typed = after(text, /Rules(?: = )?\(deps:/, ` Parameters<typeof ${id}>[0] &`);
    // Rules that hand over have a line before the object.
    const added = /: Rules => \(\{/.test(text)
      ? before(typed, /(?<=: Rules => \(\{\n[\s\S]*?)^\}\);/m, entry)
      : before(typed, /(?<=^ {2}return \{\n[\s\S]*?)^ {2}\};\n\}/m, `  ${entry}`);
    return withImport(
      withImport(withImport(added, `../${domain}`, id), `../${entityFile}`, type),
      './on.ts',
      'on',
      'type Rules',
    );
  };
  const register = (text: string) =>
    withImport(after(text, /^ {2}\w+Rules,\n/gm, `  ${rules},\n`), `./${area}.ts`, rules);
  return {
    create: {
      [domain]: effect,
      [`domain/${area}/${file}.test.ts`]: twice,
      ...(isNew ? { [events]: rulesOfArea } : {}),
    },
    edit: isNew ? { 'events/rules.ts': register } : { [events]: addRule },
    next: [
      `choose the change in ${events}: created, becomes, sets, changes, updated or removed (events/on.ts)`,
      `write the effect in ${domain}; name what it starts after the item, so that a repetition finds it`,
      'hand what calls another service over to its queue: handOverTo (events/hand-over.ts), a job in domain/processes/',
      'name the due queue that finds the change if the stream loses it in events/lost-changes.test.ts',
      'add the entity to CONSUMED (lib/stacks/stream.ts) for the kinds of change that the rule wants',
    ],
  };
}
