import { type PartialStarter, plainServer, program, type Starter, TSCONFIG, TYPES } from './starter.ts';

const esm = (word: string) =>
  `import { createServer } from 'node:http';\ncreateServer((request, response) => response.end('${word}')).listen(process.env.PORT);\n`;

const STARTERS: readonly PartialStarter<'build'>[] = [
  {
    name: 'node-http',
    files: { 'server.js': plainServer('node-http') },
    framework: 'Node.js',
    start: 'node server.js',
    answers: { text: 'node-http' },
  },
  {
    name: 'node-esm-main',
    files: { 'package.json': { type: 'module', main: 'index.js' }, 'index.js': esm('node-esm-main') },
    framework: 'Node.js',
    start: 'node index.js',
    answers: { text: 'node-esm-main' },
  },
  {
    name: 'node-no-start-script',
    files: { 'package.json': { name: 'x' }, 'src/index.js': plainServer('usual-file') },
    framework: 'Node.js',
    start: 'node src/index.js',
    answers: { text: 'usual-file' },
  },
  {
    name: 'node-flags',
    files: {
      'package.json': {
        scripts: { start: 'NODE_ENV=production node --enable-source-maps --env-file=.env app.js --verbose' },
      },
      'app.js': plainServer('node-flags'),
    },
    framework: 'Node.js',
    start: 'node --enable-source-maps app.js --verbose',
    answers: { text: 'node-flags' },
  },
  {
    name: 'node-type-stripping',
    files: {
      'package.json': { type: 'module', engines: { node: '>=24' }, scripts: { start: 'node src/main.ts' } },
      'src/main.ts': `import { createServer } from 'node:http';\nconst word: string = 'stripped';\ncreateServer((_, response) => response.end(word)).listen(process.env.PORT);\n`,
    },
    framework: 'Node.js',
    start: 'node src/main.ts',
    answers: { text: 'stripped' },
  },
  {
    name: 'fastify',
    files: {
      'package.json': { dependencies: { fastify: '^5.4.0' }, scripts: { start: 'node server.js' } },
      'server.js': `const app = require('fastify')({ logger: true });\napp.get('/', async () => ({ hello: 'fastify' }));\napp.listen({ port: Number(process.env.PORT), host: '0.0.0.0' });\n`,
    },
    framework: 'Fastify',
    start: 'node server.js',
    answers: { text: 'fastify' },
  },
  {
    name: 'fastify-cli',
    files: {
      'package.json': {
        dependencies: { fastify: '^5.4.0', 'fastify-cli': '^7.4.0' },
        scripts: { start: 'fastify start -l info app.js' },
      },
      'app.js': `module.exports = async (app, options) => { app.get('/', async () => ({ hello: 'fastify-cli' })); };\n`,
    },
    built: program('fastify-cli', 'fastify', 'cli.js'),
    framework: 'Fastify',
    start: 'node node_modules/fastify-cli/cli.js start -l info app.js',
    answers: { text: 'fastify-cli' },
  },
  {
    name: 'koa',
    files: {
      'package.json': { dependencies: { koa: '^3.0.0' }, scripts: { start: 'node index.js' } },
      'index.js': `const Koa = require('koa');\nnew Koa().use((context) => { context.body = 'koa'; }).listen(process.env.PORT);\n`,
    },
    framework: 'Koa',
    start: 'node index.js',
    answers: { text: 'koa' },
  },
  {
    name: 'hapi',
    files: {
      'package.json': { dependencies: { '@hapi/hapi': '^21.4.0' }, main: 'index.js' },
      'index.js': `const server = require('@hapi/hapi').server({ port: process.env.PORT, host: '0.0.0.0' });\nserver.route({ method: 'GET', path: '/', handler: () => 'hapi' });\nserver.start();\n`,
    },
    framework: 'hapi',
    start: 'node index.js',
    answers: { text: 'hapi' },
  },
  {
    name: 'hono-typescript',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { hono: '^4.8.0', '@hono/node-server': '^1.14.0' },
        devDependencies: TYPES,
        scripts: { build: 'tsc', start: 'node dist/index.js' },
      },
      'tsconfig.json': TSCONFIG,
      'src/index.ts': `import { serve } from '@hono/node-server';\nimport { Hono } from 'hono';\nconst app = new Hono();\napp.get('/', (context) => context.text('hono'));\nserve({ fetch: app.fetch, port: Number(process.env.PORT) });\n`,
    },
    built: { 'dist/index.js': '' },
    framework: 'Hono',
    build: 'npm run build',
    start: 'node dist/index.js',
    answers: { text: 'hono' },
  },
  {
    name: 'polka',
    files: {
      'package.json': { dependencies: { polka: '^0.5.2' }, scripts: { start: 'node index.js' } },
      'index.js': `require('polka')().get('/', (q, s) => s.end('polka')).listen(process.env.PORT);\n`,
    },
    framework: 'Polka',
    start: 'node index.js',
    answers: { text: 'polka' },
  },
];

/** Applications that are a server: by plain Node, and by the relatives of Express. */
export const SERVERS = STARTERS.map((starter): Starter => ({ build: null, ...starter }));
