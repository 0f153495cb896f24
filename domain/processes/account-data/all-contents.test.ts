import { expect, test } from 'vitest';
import { ENTITIES } from '../../../test/support/entities.ts';
import { walkable } from '../../../test/support/schemas.ts';
import { ALL_CONTENTS } from './all-contents.ts';

/** Names of fields that hold a secret, or what opens one. */
const SECRET = /secret|sealed|privateKey|hash|^token$|prefixes/i;

test('every entity of the table says what an export and a deletion do with it', () => {
  expect(ALL_CONTENTS.map(({ type }) => type).toSorted()).toEqual([...ENTITIES.keys()].toSorted());
});

test.each(ALL_CONTENTS.filter(({ file }) => file).map((each) => [each.type, each] as const))(
  'every field of %s is exported, or says why it is not',
  (type, { shows, omits }) => {
    const fields = Object.keys(walkable(ENTITIES.get(type)?.schema() as never).def.shape ?? {});
    expect([...shows, ...Object.keys(omits)].toSorted()).toEqual(fields.toSorted());
    expect(shows.filter((name) => SECRET.test(name))).toEqual([]);
  },
);

test('files of an archive have names of their own', () => {
  const files = ALL_CONTENTS.flatMap(({ file }) => file ?? []);
  expect(new Set(files).size).toBe(files.length);
});
