import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guides } from '../../contract/reference/guides.ts';
import { MAX_KEPT_RELEASES } from '../../domain/deployments/rollback.ts';
import { Settings } from '../../lib/config.ts';

const PAGES = globSync(['*.md', 'docs/**/*.md', '.github/*.md']).sort();
/** The pages that state decisions, without their index. */
const DECISIONS = PAGES.filter((page) => dirname(page) === 'docs/decisions' && basename(page) !== 'README.md');
/** The folders of the repository, without those that tools fill. */
const FOLDERS = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$|cdk\.out$|coverage$)/.test(entry.name))
  .map(({ name }) => name);

const read = (page: string): string => readFileSync(page, 'utf8');
const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;
/** The page without its fenced blocks. */
const prose = (page: string): string => read(page).replaceAll(FENCED, '');

/** A file of the repository that a block of text names, such as the steps of a request. */
const FILE_IN_TEXT = new RegExp(`(?<![\\w./-])(?:${FOLDERS.join('|')})/[\\w./-]+\\.(?:ts|tsx|mjs|md)\\b`, 'g');

/**
 * Returns what a page calls a file or folder of the repository: text in backticks that begins with one of its folders and has no
 * placeholder, and the files in its `text` blocks. `operator/createAccount` and the like are names of functions.
 */
function pathsIn(page: string): string[] {
  const quoted = [...prose(page).matchAll(/`([^`\s]+\/[^`\s]*)`/g)].map(([, path = '']) => path);
  const blocks = [...read(page).matchAll(FENCED)].flatMap(([, language, text = '']) =>
    language === 'text' ? [text] : [],
  );
  return [
    ...quoted.filter((path) => FOLDERS.includes(path.split('/')[0] ?? '') && !/[<>…$:]/.test(path)),
    ...blocks.flatMap((text) => text.match(FILE_IN_TEXT) ?? []),
  ];
}

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
const anchorsOf = (file: string): string[] =>
  [...(file.endsWith('.md') ? prose(file) : '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));

test.each(PAGES)('%s names only existing files and folders', (page) => {
  const missing = pathsIn(page).filter((path) =>
    path.includes('*') || path.includes('{') ? globSync(path).length === 0 : !existsSync(path),
  );
  expect(missing).toEqual([]);
});

test.each(PAGES)('%s links only to existing pages and headings', (page) => {
  const broken = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(file).includes(anchor);
    });
  expect(broken).toEqual([]);
});

test('the check finds the paths of a page', () => {
  expect(pathsIn('docs/decisions/0005-idempotency-in-the-transaction.md')).toContain('runtime/http/idempotency.ts');
  expect(pathsIn('docs/architecture.md')).toContain('runtime/http/endpoint.ts');
  expect(PAGES.flatMap(pathsIn).length).toBeGreaterThan(100);
});

test.each(PAGES)('%s links to each decision by its number', (page) => {
  const links = [...prose(page).matchAll(/\[(\d{4})\]\((?:\.\.\/)*(?:docs\/)?(?:decisions\/)?(\d{4})-/g)];
  expect(links.filter(([, number, target]) => number !== target).map(([text]) => text)).toEqual([]);
});

/** This file is none of them: what it excuses is not in the code. */
const SOURCES = globSync([`{${FOLDERS.join(',')}}/**/*.{ts,tsx,mjs,js,json,html}`, '*.json'], {
  exclude: (name) => name === 'node_modules' || name.endsWith('docs.test.ts'),
}).map((file) => readFileSync(file, 'utf8'));

/**
 * Names in pages that the code does not have: those of AWS, Node and frameworks, one that is made of a provider's id, and a field
 * that a decision says is no more.
 */
const NAMES_OF_OTHERS = `
  ApproximateNumberOfNoisyGroups EntityLimitExceeded ExportTableToPointInTime ExtendedStatistic LastUpdatedTime
  StatusList TooManyCertificates UrlRequestLatency clientHold NEXT_FONT_GOOGLE_MOCKED_RESPONSES NUXI_INIT_REGISTRY launchServer nextUrl ANTHROPIC_API_KEY nextCheckAt
`
  .trim()
  .split(/\s+/);
/** Names of several words (`camelCase`, `UPPER_CASE`) that a page writes as code. */
const namesIn = (page: string): string[] =>
  [...prose(page).matchAll(/`(\w+)(?:\(\))?`/g)]
    .map(([, name = '']) => name)
    .filter((name) => /[a-z][A-Z]|[A-Z]_[A-Z]/.test(name));
/** The glossary lists names that are retired; the changelog is history. */
const WITH_NAMES = PAGES.filter((page) => !['CHANGELOG.md', 'docs/glossary.md'].includes(page));

test('pages name only what the code has: functions, settings, variables, fields', () => {
  const known = new Set(SOURCES.flatMap((source) => source.match(/\w+/g) ?? []));
  const unknown = WITH_NAMES.flatMap((page) =>
    namesIn(page)
      .filter((name) => !known.has(name) && !NAMES_OF_OTHERS.includes(name))
      .map((name) => `${page}: ${name}`),
  );
  expect(unknown).toEqual([]);
  const all = WITH_NAMES.flatMap(namesIn);
  expect(all.length).toBeGreaterThan(400);
  expect(NAMES_OF_OTHERS.filter((name) => !all.includes(name) || known.has(name))).toEqual([]);
});

test('docs/runbook.md quotes only lines that the code logs', () => {
  const quoted = [...read('docs/runbook.md').matchAll(/`([a-z]+(?: [a-z’]+){2,})`|'"([a-z ]+)"'/g)];
  const lines = quoted.map(([, inText, inCommand = '']) => inText ?? inCommand);
  expect(lines.length).toBeGreaterThan(8);
  expect(lines.filter((line) => !SOURCES.some((source) => source.includes(line)))).toEqual([]);
});

test('code refers only to existing pages and sections', () => {
  const named = SOURCES.flatMap((source) => source.match(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g) ?? []);
  expect(new Set(named).size).toBeGreaterThan(5);
  const missing = [...new Set(named)].filter((target) => {
    const [page = '', anchor] = target.split('#');
    return !existsSync(page) || (anchor !== undefined && !anchorsOf(page).includes(anchor));
  });
  expect(missing).toEqual([]);
});

describe('README.md', () => {
  const readme = read('README.md');

  test('is a landing page of at most 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(150);
    expect(readme).toMatch(/!\[.+\]\(docs\/images\/.+\.jpg\)/);
  });

  test('has the commands that .ci/run executes, before the linters', () => {
    expect(readme).toMatch(/^npm ci && npm start\b/m);
    const test = /^npm ci && npm test\b/m.exec(readme)?.[0];
    const commands = read('.ci/run')
      .split('\n')
      .filter((line) => line && !/^(#|set |cd )/.test(line));
    expect(commands).toEqual([test, 'npm run lint']);
  });
});

test.each(['docs/runbook.md', 'docs/deploying.md'])('%s names only functions that exist', (page) => {
  const names = [...read(page).matchAll(/hosting-(?:<stage>|prod)-(operator|queue|schedule|stream|workflow)-(\w+)/g)];
  const functions = names
    .filter(([, , name]) => name !== 'failures')
    .map(([, group, name]) => `functions/${group}/${name}.ts`);
  expect(functions.length).toBeGreaterThan(0);
  expect(functions.filter((path) => !existsSync(path))).toEqual([]);
});

test.each(['client', 'cli'])('the package %s is found from the README and from the reference', (folder) => {
  const { name, bin = {} } = JSON.parse(read(`${folder}/package.json`)) as {
    name: string;
    bin?: Record<string, string>;
  };
  const [called = name] = Object.keys(bin);
  expect(read('README.md')).toMatch(new RegExp(`\\]\\((?:${folder}/README|docs/${folder})\\.md\\) \\|.*\`${called}\``));
  const libraries = guides('').find(({ id }) => id === 'libraries')?.text;
  expect(libraries).toContain(`<code>${called}</code>`);
  expect(libraries).toContain(`<code>${folder}/</code>`);
});

test('docs/tour.md says how many releases are kept', () => {
  expect(MAX_KEPT_RELEASES).toBe(3);
  expect(read('docs/tour.md')).toContain('The last three releases are kept, the one in\nservice included.');
});

test('docs/configuration.md lists every setting of a stage', () => {
  const page = read('docs/configuration.md');
  const missing = Object.keys(Settings.shape).filter((name) => !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

describe('decisions', () => {
  test('are numbered without gaps, in the order of their dates', () => {
    expect(DECISIONS.map((page) => Number(basename(page).slice(0, 4)))).toEqual(DECISIONS.map((_, index) => index + 1));
    const dates = DECISIONS.map((page) => /^Date: (.+)$/m.exec(read(page))?.[1] ?? '');
    expect(dates).toEqual([...dates].sort());
  });

  test.each(DECISIONS)('%s begins with its title, status and date, and is in the index', (page) => {
    expect(basename(page)).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(read(page)).toMatch(
      /^# .+\n\nStatus: (?:proposed|accepted|superseded by \d{4})\n\nDate: \d{4}-\d{2}-\d{2}\n\n/,
    );
    expect(read('docs/decisions/README.md')).toContain(`](${basename(page)})`);
  });
});
