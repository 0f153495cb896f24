import { afterEach, expect, test } from 'vitest';
import { findStart } from './start.ts';
import { application, removeApplications, started } from './test-applications.ts';

afterEach(removeApplications);

const HONO = { dependencies: { hono: '4' } };
const EXPRESS = { dependencies: { express: '5' } };
const EXPORTED = "import { Hono } from 'hono';\nconst app = new Hono();\n\nexport default app\n";
const FROM = 'exported application';

test.each<[string, object, Record<string, string>, string]>([
  [
    'of the template for Bun',
    { ...HONO, scripts: { dev: 'bun run --hot src/index.ts' } },
    { 'src/index.ts': EXPORTED },
    'src/index.ts',
  ],
  [
    'of the template for Vercel',
    { ...HONO, scripts: { start: 'vercel dev' } },
    { 'src/index.ts': EXPORTED },
    'src/index.ts',
  ],
  ['of Express', EXPRESS, { 'index.ts': 'export { app as default };' }, 'index.ts'],
  [
    'of Express as a function of Vercel',
    { ...EXPRESS, main: 'index.js' },
    { 'api/index.js': 'module.exports = app;' },
    'api/index.js',
  ],
  ['of Elysia', { dependencies: { elysia: '1' } }, { 'src/index.ts': 'export default new Elysia();' }, 'src/index.ts'],
])('starts an application that is only exported: %s', (_what, manifest, files, module) => {
  expect(started(manifest, files)).toEqual([`default export of ${module}`, FROM]);
});

test('serves what Bun listens for: a start script or command that runs a file which only exports its application', () => {
  const scripts = { start: 'bun run --hot ./src/server.ts' };
  const fetches = 'export default { port: 3000, fetch: () => new Response() };';
  expect(started({ ...HONO, scripts }, { 'src/server.ts': EXPORTED })).toEqual([
    'default export of src/server.ts',
    'start script',
  ]);
  const set = { startCommand: 'bun a.ts' };
  expect(started({}, { 'a.ts': fetches }, set)[0]).toBe('default export of a.ts');
  const unchanged = [
    ['bun run --hot ./src/server.ts', 'Bun.serve({ fetch });\nexport default 1;'],
    ['bun --preload ./a.ts ./src/server.ts', EXPORTED],
    ['bun run ../server.ts', EXPORTED],
  ] as const;
  for (const [start, text] of unchanged)
    expect(started({ ...HONO, scripts: { start } }, { 'src/server.ts': text })[0]).toBe(start);
});

test('serves the public files of an exported application, and says who listens', () => {
  const app = application(HONO, { 'src/index.ts': EXPORTED, 'public/a.txt': 'a' });
  expect(findStart(app)).toEqual({
    start: { kind: 'export', directory: '', module: 'src/index.ts', files: 'public' },
    from: FROM,
    warning:
      'src/index.ts exports its application and starts no server: the platform listens, and passes requests to it',
  });
});

test('whatever started or failed for another reason before does so with an exported application too', () => {
  expect(started(EXPRESS, { 'index.js': 'module.exports = app;' })).toEqual(['node index.js', 'usual file name']);
  expect(started({ ...HONO, scripts: { start: 'node a.js' } }, { 'a.js': '', 'src/index.ts': EXPORTED })[0]).toBe(
    'node a.js',
  );
  const failure = (manifest: object, files: Record<string, string>) => () => findStart(application(manifest, files));
  const exported = { 'src/index.ts': EXPORTED };
  expect(failure({ ...HONO, devDependencies: { wrangler: '4' } }, exported)).toThrow('made for Cloudflare Workers');
  expect(failure({ ...HONO, scripts: { start: 'node dist/a.js' } }, exported)).toThrow('neither was "dist/a.js"');
  expect(failure(HONO, { ...exported, Procfile: 'worker: node jobs.js' })).toThrow('has a worker');
  expect(failure(HONO, { 'src/index.ts': `${EXPORTED}serve(app);` })).toThrow('package.json names no other');
  expect(failure({ dependencies: { fastify: '5' } }, exported)).toThrow('package.json names no other');
});

test('starts the file of a script for production under another name if nothing else starts the application', () => {
  const scripts = { build: 'vike build', prod: 'NODE_ENV=production node ./dist/server/index.mjs' };
  const manifest = { dependencies: { vike: '0.4', hono: '4' }, scripts };
  const found = started(manifest, ['dist/server/index.mjs', 'dist/client/assets/a.js']);
  expect(found).toEqual(['node dist/server/index.mjs', 'script prod']);
  const own = {
    scripts: { ...scripts, prod: 'npm run build && npm run server:prod', 'server:prod': 'node server/a.js' },
  };
  expect(started(own, ['server/a.js'])).toEqual(['node server/a.js', 'script prod']);
  expect(started(own, ['server/a.js', 'dist/index.html'])).toEqual(['files of dist', 'index.html']);
  const previews = { devDependencies: { vike: '0.4' }, scripts: { prod: 'vike preview' } };
  expect(() => findStart(application(previews, ['node_modules/vike/bin.js']))).toThrow('set server to true');
});

test('says how an application of Elysia listens in Node', () => {
  const files = { 'src/index.ts': 'const app = new Elysia().listen(3000);' };
  expect(() => findStart(application({ dependencies: { elysia: '1' } }, files))).toThrow(
    'End src/index.ts with "export default app" in place of listen()',
  );
});
