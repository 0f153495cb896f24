import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GLOSSARY_FILE, lintFile, lintProject, parseGlossary } from './lint-language.ts';

const glossary = parseGlossary(readFileSync(GLOSSARY_FILE, 'utf8'));

test('the project has no finding', () => {
  expect(lintProject()).toEqual([]);
});

test.each([
  ['an identifier', 'domain/planted.ts', 'const a = toldOf(error);', 'retired term "toldOf"'],
  ['a type', 'domain/planted.ts', 'let tenant: Door;', 'retired term "Door"'],
  ['a limit', 'domain/planted.ts', 'const ITEMS_MOST = 10;', 'retired term "ITEMS_MOST"'],
  ['a comment', 'domain/planted.ts', '// The caller was overtaken.', 'retired term "overtaken"'],
  ['a string', 'dashboard/planted.tsx', "const text = 'It has to lead to us';", 'retired term "has to lead to"'],
  ['a document', 'docs/tour.md', 'A claim is let go after two weeks.', 'retired term "let go"'],
  ['a file name', 'domain/own-zones.ts', 'export {};', 'the file name has the retired term "own-zones"'],
  ['a scoped identifier', 'local/event-sources/planted.ts', 'queue.take(1);', 'retired identifier "take"'],
  ['a docstring', 'domain/planted.ts', '/** What is read. */', 'docstring begins with a headless clause'],
  ['a long docstring', 'domain/planted.ts', '/**\n * Whether it is.\n */', 'docstring begins with a headless clause'],
  ['a limit', 'domain/planted.ts', '/** By how much it may be off. */', 'docstring begins with a headless clause'],
  ['a link', 'domain/planted.ts', '/** Throws {@link Gone}. */', 'link to Gone, which is not in scope'],
  [
    'a file in a comment',
    'domain/planted.ts',
    '// See below (gone.ts).',
    'comment names gone.ts, which does not exist',
  ],
  [
    'a parameter in a docstring',
    'domain/planted.ts',
    '/** @param gone is not there */\nconst a = (b: string) => b;',
    'docstring describes the parameter gone, which does not exist',
  ],
  ['a sentence', 'docs/tour.md', 'Somebody has to look.', 'retired term "Somebody"'],
  ['a comment without actor', 'test/planted.ts', '// It ends by itself.', 'retired term "by itself"'],
])('refuses a planted finding in %s', (_kind, path, text, finding) => {
  expect(lintFile(path, text, glossary).join('\n')).toContain(finding);
});

test.each([
  ['an ordinary word outside the retired term’s folder', 'domain/planted.ts', 'const take = 1;'],
  ['an ordinary word in a comment', 'local/event-sources/planted.ts', '// Messages take a second.'],
  ['a docstring that begins with a verb', 'domain/planted.ts', '/** Returns the items. */'],
  ['a link to a name in scope', 'domain/planted.ts', "/** See {@link App.id}. */\nimport { App } from './apps.ts';"],
  ['files of the project and of the folder', 'domain/planted.ts', '// Of AWS (lib/app.ts), and ours (ids.ts).'],
  ['a parameter', 'domain/planted.ts', '/** @param options.a is there */\nconst f = ({ a }: { a: string }) => a;'],
  ['a text that keeps a physical name', 'lib/planted.ts', "super(platform, 'doors', '');"],
])('allows %s', (_kind, path, text) => {
  expect(lintFile(path, text, glossary)).toEqual([]);
});
