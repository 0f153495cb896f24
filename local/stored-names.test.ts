import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openDataDirectory } from './data-directory.ts';
import { Storage } from './emulators/dynamodb/storage.ts';
import { openLoginStore } from './emulators/login/store.ts';

/**
 * The names in the data directory that earlier versions have written. A file or table under another name is empty after an update, so
 * the user's data seems lost. Add new names. Where a name must change, the code reads the earlier one too, as `emulators/records.ts` does,
 * and both are listed here.
 */
const RECORDED = JSON.parse(readFileSync('local/stored-names.json', 'utf8'));

/** Modules that name files of the repository, or files that no later run reads. */
const OTHER = [
  'local/emulators/codebuild/build-run.ts',
  'local/emulators/git/git.ts',
  'local/emulators/lambda/sandbox.ts',
  'local/iam/report.ts',
  'local/lambda/bundle-cache.ts',
  'local/lambda/functions.ts',
  'local/template/template.ts',
];

/** A path below a directory whose variable has one of these names. */
const JOIN =
  /\bjoin\(\s*(?:options\.)?(?:dataDir|path|folder|directory|archives|checkpoints|logs),\s*((?:[^()]|\([^()]*\))*)\)/g;
const KEY = /\bkeyFromFile\(join\(\w+, ('[^']+')\), ('[^']+')\)/g;
const FOLDER = /\bfolder\(('[^']+')\)/g;

/** Returns the name that an argument stands for: a text, a constant of the source, or `*` for what varies. */
function nameOf(argument: string, source: string): string {
  if (argument.startsWith('`')) return argument.slice(1, -1).replace(/\$\{[^}]*\}/g, '*');
  if (argument.startsWith("'")) return argument.slice(1, -1);
  const constant = /^[A-Z_]+$/.test(argument) && new RegExp(`const ${argument} = '([^']+)'`).exec(source);
  return constant ? (constant[1] ?? '*') : '*';
}

test('a file of the data directory has the name under which earlier versions stored it', () => {
  const paths = globSync('local/**/*.ts')
    .filter((file) => !file.endsWith('.test.ts') && !OTHER.includes(file))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      return [JOIN, KEY, FOLDER].flatMap((pattern) =>
        [...source.matchAll(pattern)].map(([, ...given]) =>
          given
            .flatMap((each) => each.split(/,\s*/))
            .filter((each) => each !== '')
            .map((each) => nameOf(each, source))
            .join('/'),
        ),
      );
    })
    .filter((path) => /\w/.test(path));
  expect([...new Set(paths)].sort()).toEqual(RECORDED.files);
});

test('a table of an SQLite file has the name and the columns under which earlier versions stored it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  openDataDirectory(folder).release();
  openLoginStore(join(folder, 'store.db')).close();
  const storage = new Storage(join(folder, 'table.db'));
  const KeySchema = [{ AttributeName: 'pk', KeyType: 'HASH' as const }];
  storage.save({
    number: 1,
    TableName: 'hosting',
    TableId: '',
    createdAt: 0,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema,
    GlobalSecondaryIndexes: [{ IndexName: 'due', KeySchema, Projection: { ProjectionType: 'ALL' } }],
    isProtected: false,
  });
  storage.close();
  const tables = ['lock.db', 'store.db', 'table.db'].map((file) => {
    const database = new DatabaseSync(join(folder, file));
    const rows = database
      .prepare(
        "SELECT m.name || ' ' || group_concat(c.name, ' ') AS line FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name ORDER BY m.name",
      )
      .all();
    database.close();
    return [file, rows.map(({ line }) => String(line))];
  });
  expect(Object.fromEntries(tables)).toEqual(RECORDED.tables);
});
