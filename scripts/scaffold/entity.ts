import { type Change, withImport, withZod } from './change.ts';
import { constant, kebab, pascal, plural, spoken } from './names.ts';

/** Returns the change that adds an entity of an account to the table: schema, key and list, with a test that reads it back. */
export function entity(name: string, area: string): Change {
  const entityName = pascal(name);
  const type = constant(name);
  const collection = plural(kebab(name)).replaceAll('-', '_').toUpperCase();
  const file = `table/entities/${area}.ts`;
  const test = `table/entities/${kebab(name)}.test.ts`;

  const definition = (joinKey: string) => `
/** One ${spoken(name)} of an account. */
export type ${entityName} = ItemOf<typeof ${entityName}>;
export const ${entityName} = /* @__PURE__ */ entity({
  type: '${type}',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: { accountId: string; id: string }) => ({
    pk: ${joinKey}('ACCOUNT', accountId),
    sk: ${joinKey}('${type}', id),
  }),
  list: ({ accountId, id }) => ({ listPk: ${joinKey}('ACCOUNT', accountId, '${collection}'), listSk: id }),
});
`;

  const readBack = `import { expect, test } from 'vitest';
import { memoryTable } from '../../test/support/memory-table.ts';
import { create } from '../writes.ts';
import { ${entityName} } from './${area}.ts';

const item: ${entityName} = { id: 'id_1', accountId: 'acc_1', createdAt: '2026-01-31T09:30:00.000Z' };

test('is read back by its account and by no other', async () => {
  const { table } = memoryTable();
  await table.transact([create(${entityName}, item)]);
  expect(await table.get(${entityName}, { accountId: 'acc_1', id: 'id_1' })).toEqual(item);
  expect(await table.get(${entityName}, { accountId: 'acc_2', id: 'id_1' })).toBeUndefined();
});

test('is listed for its account', async () => {
  const { table } = memoryTable();
  await table.transact([create(${entityName}, item)]);
  const { listPk } = ${entityName}.list?.(item) ?? { listPk: '' };
  expect(await table.list(${entityName}, listPk, { limit: 10, offset: 0 })).toEqual({ items: [item], hasMore: false });
});
`;

  return {
    create: { [test]: readBack },
    edit: {
      [file]: (text) => {
        const alias = /\bjoinKey as (\w+)/.exec(text)?.[1];
        const withEntity = withImport(withZod(text), '../entity.ts', 'entity', 'type ItemOf');
        const imported = alias ? withEntity : withImport(withEntity, '../keys.ts', 'joinKey');
        return imported + definition(alias ?? 'joinKey');
      },
    },
    next: [
      `give ${entityName} its fields, indexes and due time in ${file}`,
      `write it from the functions of domain/${area}/`,
    ],
  };
}
