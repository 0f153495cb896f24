import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TAGS } from '../../contract/tags.ts';
import { AREAS } from '../boundaries.ts';
import { after, applyChange, before, withImport } from './change.ts';
import { endpoint } from './endpoint.ts';
import {
  camel,
  constant,
  kebab,
  parseArea,
  parseName,
  pascal,
  plural,
  sentence,
  singular,
  UsageError,
} from './names.ts';
import { rule } from './rule.ts';

describe('names', () => {
  test.each(['getSupportTicket', 'get-support-ticket', 'GetSupportTicket'])('%s is known in every notation', (name) => {
    expect([kebab(name), camel(name), pascal(name), constant(name)]).toEqual([
      'get-support-ticket',
      'getSupportTicket',
      'GetSupportTicket',
      'GET_SUPPORT_TICKET',
    ]);
  });

  test.each([
    ['thing', 'things'],
    ['policy', 'policies'],
    ['key', 'keys'],
    ['address', 'addresses'],
    ['support-ticket', 'support-tickets'],
  ])('the plural of %s is %s, and back', (one, many) => {
    expect(plural(one)).toBe(many);
    expect(singular(many)).toBe(one);
  });

  test.each([
    ['getThing', 'Get a thing'],
    ['createInvoice', 'Create an invoice'],
    ['listThings', 'List things'],
  ])('%s is "%s" in a sentence', (name, said) => {
    expect(sentence(name)).toBe(said);
  });

  test('names and areas that cannot be are refused', () => {
    for (const name of [undefined, '', '1st', 'get thing', 'get_thing', '../thing']) {
      expect(() => parseName(name, 'getThing')).toThrow(UsageError);
    }
    expect(() => parseArea('toString')).toThrow(UsageError);
    expect(parseArea('dns')).toBe('dns');
  });
});

test.each([
  ['getThing', {}, 'GET', '/v1/things/{id}'],
  ['listThings', {}, 'GET', '/v1/things'],
  ['createThing', {}, 'POST', '/v1/things'],
  ['updateThing', {}, 'PATCH', '/v1/things/{id}'],
  ['replaceThing', {}, 'PUT', '/v1/things/{id}'],
  ['deleteThing', {}, 'DELETE', '/v1/things/{id}'],
  ['restartThing', {}, 'POST', '/v1/things/{id}/restart'],
  ['restartThing', { dashboard: true }, 'POST', '/dashboard/v1/things/{id}/restart'],
  ['getThing', { method: 'post', path: '/v1/apps/{id}/thing' }, 'POST', '/v1/apps/{id}/thing'],
])('%s %j is %s %s', (name, options, method, path) => {
  const route = endpoint(name, 'apps', options).create[`contract/apps/${kebab(name)}.ts`];
  expect(route).toContain(`method: '${method}',\n  path: '${path}',`);
});

test('an access that the generated route and tests do not have is refused', () => {
  for (const options of [{ access: 'admin' }, { access: 'none' }, { access: 'read', dashboard: true }])
    expect(() => endpoint('getThing', 'apps', options)).toThrow(/--access must be one of/);
  expect(endpoint('getThing', 'apps', { access: 'deploy' }).create['contract/apps/get-thing.ts']).toContain(
    "access: 'deploy'",
  );
});

test.each(Object.keys(AREAS))('an operation of %s has a tag that the reference describes', (area) => {
  const [, tag = ''] =
    /tag: '(.*)'/.exec(endpoint('getThing', area, {}).create[`contract/${area}/get-thing.ts`] ?? '') ?? [];
  expect(Object.keys(TAGS)).toContain(tag);
});

describe('a change', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'change-'));
    writeFileSync(join(root, 'list.ts'), 'const list = [\n  one,\n];\n');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('writes new files and edits', () => {
    const edit = { 'list.ts': (text: string) => before(text, /\];/, '  two,\n') };
    expect(applyChange(root, { create: { 'new/file.ts': 'new' }, edit, next: [] })).toEqual(['new/file.ts', 'list.ts']);
    expect(readFileSync(join(root, 'new/file.ts'), 'utf8')).toBe('new');
    expect(readFileSync(join(root, 'list.ts'), 'utf8')).toBe('const list = [\n  one,\n  two,\n];\n');
  });

  test('writes nothing where the place of an edit is gone, or a file exists', () => {
    const gone = { 'list.ts': (text: string) => after(text, /nowhere/, 'two') };
    expect(() => applyChange(root, { create: { 'new.ts': '' }, edit: gone, next: [] })).toThrow(/list\.ts.*nowhere/);
    expect(() => applyChange(root, { create: { 'new.ts': '', 'list.ts': '' }, edit: {}, next: [] })).toThrow(
      /list\.ts/,
    );
    expect(existsSync(join(root, 'new.ts'))).toBe(false);
  });

  test('adds names to an import, each once', () => {
    const text = `import { a, type B } from './x.ts';\n`;
    expect(withImport(text, './x.ts', 'a', 'c')).toBe(`import { a, type B, c } from './x.ts';\n`);
    expect(withImport(text, './y.ts', 'c')).toBe(`import { c } from './y.ts';\n${text}`);
  });
});

/** Areas of stream rules, by their files. */
const RULE_AREAS = readdirSync('events')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .filter((file) => /^export (const|function) \w+Rules\b.*\(deps/m.test(readFileSync(`events/${file}`, 'utf8')))
  .map((file) => file.slice(0, -'.ts'.length));

test.each(RULE_AREAS)('the rules of %s accept another rule', (area) => {
  const { edit } = rule('.', 'countGadget', area, 'App');
  const text = readFileSync(`events/${area}.ts`, 'utf8');
  const edited = edit?.[`events/${area}.ts`]?.(text) ?? text;
  expect(edited).toMatch(/Parameters<typeof countGadget>\[0\] &/);
  expect(edited).toContain("'app.count-gadget': on(App).created((app) => countGadget(deps, app)),\n");
});
