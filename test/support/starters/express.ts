import { EXPRESS, expressServer, expressTs, type PartialStarter, type Starter, TSCONFIG, TYPES } from './starter.ts';

type ExpressStarter = PartialStarter<'framework' | 'build'>;

/** Returns an application of a workspace that uses another package of it by pnpm's protocol, which Bun has too. @param root the files in the root */
const workspaces = (manager: 'pnpm' | 'bun', root: ExpressStarter['files']): ExpressStarter => ({
  name: `${manager}-workspaces`,
  settings: { rootDirectory: 'apps/api' },
  files: {
    ...root,
    'packages/words/package.json': { name: '@mono/words', version: '1.0.0', main: 'index.js' },
    'packages/words/index.js': `module.exports = '${manager}-workspace';\n`,
    'apps/api/package.json': {
      name: 'api',
      version: '1.0.0',
      dependencies: { ...EXPRESS, '@mono/words': 'workspace:*' },
      scripts: { start: 'node main.js' },
    },
    'apps/api/main.js': `const express = require('express');\nexpress().get('/', (q, s) => s.send(require('@mono/words'))).listen(process.env.PORT);\n`,
  },
  start: 'node main.js',
  answers: { text: `${manager}-workspace` },
});

const STARTERS: readonly ExpressStarter[] = [
  {
    name: 'express',
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'node app.js' } },
      'app.js': expressServer('express'),
    },
    start: 'node app.js',
    answers: { text: 'express' },
  },
  {
    name: 'express-pnpm',
    files: {
      'package.json': { packageManager: 'pnpm@10.12.0', dependencies: EXPRESS, scripts: { start: 'node app.js' } },
      'app.js': expressServer('pnpm'),
    },
    start: 'node app.js',
    answers: { text: 'pnpm' },
  },
  {
    name: 'express-yarn',
    files: {
      'package.json': { packageManager: 'yarn@1.22.22', dependencies: EXPRESS, scripts: { start: 'node app.js' } },
      'app.js': expressServer('yarn'),
    },
    start: 'node app.js',
    answers: { text: 'yarn' },
  },
  {
    name: 'express-generator',
    files: {
      'package.json': {
        dependencies: { ...EXPRESS, 'cookie-parser': '^1.4.7', morgan: '^1.10.0' },
        scripts: { start: 'node ./bin/www' },
      },
      'bin/www': `#!/usr/bin/env node\nconst app = require('../app');\nrequire('node:http').createServer(app).listen(process.env.PORT || '3000');\n`,
      'app.js': `const express = require('express');\nconst app = express();\napp.use(require('morgan')('dev'));\napp.use(require('cookie-parser')());\napp.get('/', (request, response) => response.send('generator'));\nmodule.exports = app;\n`,
    },
    start: 'node bin/www',
    answers: { text: 'generator' },
  },
  {
    name: 'express-typescript',
    files: {
      'package.json': {
        type: 'module',
        dependencies: EXPRESS,
        devDependencies: TYPES,
        scripts: { build: 'tsc', start: 'node dist/index.js' },
      },
      'tsconfig.json': TSCONFIG,
      'src/index.ts': expressTs('typescript'),
    },
    built: { 'dist/index.js': '' },
    build: 'npm run build',
    start: 'node dist/index.js',
    answers: { text: 'typescript' },
  },
  {
    name: 'express-build-at-start',
    files: {
      'package.json': {
        type: 'module',
        dependencies: EXPRESS,
        devDependencies: TYPES,
        scripts: { build: 'tsc', start: 'npm run build && node dist/server.js' },
      },
      'tsconfig.json': TSCONFIG,
      'src/server.ts': expressTs('chain'),
    },
    built: { 'dist/server.js': '' },
    build: 'npm run build',
    start: 'node dist/server.js',
    answers: { text: 'chain' },
  },
  {
    name: 'express-tsc-at-start',
    files: {
      'package.json': {
        type: 'module',
        dependencies: EXPRESS,
        devDependencies: TYPES,
        scripts: { start: 'tsc && node dist/index' },
      },
      'tsconfig.json': TSCONFIG,
      'src/index.ts': expressTs('tsc-at-start'),
    },
    built: { 'dist/index.js': '' },
    build: 'tsc',
    start: 'node dist/index.js',
    answers: { text: 'tsc-at-start' },
  },
  {
    name: 'express-tsx',
    files: {
      'package.json': {
        type: 'module',
        dependencies: EXPRESS,
        devDependencies: { tsx: '^4.20.0' },
        scripts: { start: 'tsx src/index.ts' },
      },
      'src/index.ts': expressTs('tsx'),
    },
    start: 'node --import tsx src/index.ts',
    answers: { text: 'tsx' },
  },
  {
    name: 'express-ts-node',
    files: {
      'package.json': {
        dependencies: EXPRESS,
        devDependencies: { ...TYPES, 'ts-node': '^10.9.2' },
        scripts: { start: 'ts-node src/index.ts' },
      },
      'tsconfig.json': { compilerOptions: { module: 'CommonJS', esModuleInterop: true, skipLibCheck: true } },
      // What Node alone does not load: an import without an extension, and an enum.
      'src/index.ts': `import { Word } from './word';\n${expressTs('ts-node').replace("'ts-node'", 'Word.Here')}`,
      'src/word.ts': `export enum Word { Here = 'ts-node' }\n`,
    },
    start: 'node --require ts-node/register src/index.ts',
    answers: { text: 'ts-node' },
  },
  {
    name: 'express-nodemon',
    files: {
      'package.json': {
        dependencies: EXPRESS,
        devDependencies: { nodemon: '^3.1.0' },
        scripts: { start: 'nodemon --watch src index.js' },
      },
      'index.js': expressServer('nodemon'),
    },
    start: 'node index.js',
    answers: { text: 'nodemon' },
  },
  {
    name: 'express-pm2',
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'pm2 start app.js --name web --no-daemon' } },
      'app.js': expressServer('pm2'),
    },
    start: 'node app.js',
    answers: { text: 'pm2' },
  },
  {
    name: 'express-pm2-ecosystem',
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'pm2-runtime start ecosystem.config.js' } },
      'ecosystem.config.js': `module.exports = { apps: [{ name: 'web', script: './src/web.js', instances: 2 }] };\n`,
      'src/web.js': expressServer('ecosystem'),
    },
    start: 'node src/web.js',
    answers: { text: 'ecosystem' },
  },
  {
    name: 'express-cross-env',
    files: {
      'package.json': {
        dependencies: EXPRESS,
        scripts: { start: 'cross-env NODE_ENV=production PORT=5000 node index.js' },
      },
      'index.js': expressServer('cross-env'),
    },
    start: 'node index.js',
    answers: { text: 'cross-env' },
  },
  {
    name: 'express-nested-scripts',
    files: {
      'package.json': {
        dependencies: EXPRESS,
        scripts: { prestart: 'npm run clean', clean: 'rimraf tmp', start: 'npm run serve', serve: 'node src/app' },
      },
      'src/app.js': expressServer('nested'),
    },
    start: 'node src/app.js',
    answers: { text: 'nested' },
  },
  {
    name: 'express-shell',
    files: {
      'package.json': {
        dependencies: EXPRESS,
        scripts: { start: `test -n "$PORT" && WORD=shell node index.js | cat` },
      },
      'index.js': `const express = require('express');\nexpress().get('/', (q, s) => s.send(process.env.WORD)).listen(process.env.PORT);\n`,
    },
    start: 'test -n "$PORT" && WORD=shell node index.js | cat',
    answers: { text: 'shell' },
  },
  {
    name: 'express-procfile',
    files: {
      'package.json': { dependencies: EXPRESS },
      Procfile: 'release: echo migrate\nweb: node web.js\n',
      'web.js': expressServer('procfile'),
    },
    start: 'node web.js',
    answers: { text: 'procfile' },
  },
  {
    name: 'express-main',
    files: { 'package.json': { dependencies: EXPRESS, main: 'lib' }, 'lib/index.js': expressServer('main') },
    start: 'node lib/index.js',
    answers: { text: 'main' },
  },
  {
    name: 'express-old-engines',
    files: {
      'package.json': { dependencies: EXPRESS, engines: { node: '20.x' }, scripts: { start: 'node index.js' } },
      'index.js': `const express = require('express');\nexpress().get('/', (q, s) => s.send(process.version)).listen(process.env.PORT);\n`,
    },
    start: 'node index.js',
    answers: { text: 'v20.' },
  },
  {
    name: 'express-password',
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'node index.js' } },
      'index.js': expressServer('never', "app.use((request, response) => response.status(401).send('password'));\n"),
    },
    start: 'node index.js',
    answers: { status: 401, text: 'password' },
  },
  {
    name: 'express-api-only',
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'node index.js' } },
      'index.js': `const express = require('express');\nexpress().get('/api/items', (q, s) => s.json(['api'])).listen(process.env.PORT);\n`,
    },
    start: 'node index.js',
    answers: { path: '/api/items', text: 'api' },
  },
  {
    name: 'express-socket-io',
    files: {
      'package.json': { dependencies: { ...EXPRESS, 'socket.io': '^4.8.0' }, scripts: { start: 'node index.js' } },
      'index.js': `const app = require('express')();\nconst server = require('node:http').createServer(app);\nnew (require('socket.io').Server)(server);\napp.get('/', (q, s) => s.send('socket'));\nserver.listen(process.env.PORT);\n`,
    },
    start: 'node index.js',
    answers: { path: '/socket.io/?EIO=4&transport=polling', text: 'sid' },
  },
  {
    // A module whose server the Procfile starts, as of cors-anywhere.
    name: 'express-module-with-procfile',
    files: {
      'package.json': { main: 'lib/module.js', dependencies: EXPRESS },
      'lib/module.js': 'module.exports = {};\n',
      'web.js': expressServer('procfile'),
      Procfile: 'web: node web.js\n',
    },
    start: 'node web.js',
    answers: { text: 'procfile' },
  },
  {
    name: 'express-framework-not-set',
    settings: { framework: 'NEXTJS' },
    files: {
      'package.json': { dependencies: EXPRESS, scripts: { start: 'node app.js' } },
      'app.js': expressServer('not-next'),
    },
    start: 'node app.js',
    answers: { text: 'not-next' },
  },
  {
    name: 'express-subdirectory',
    settings: { rootDirectory: 'server' },
    files: {
      'client/package.json': {},
      'server/package.json': { dependencies: EXPRESS, scripts: { start: 'node index.js' } },
      'server/index.js': expressServer('subdirectory'),
    },
    start: 'node index.js',
    answers: { text: 'subdirectory' },
  },
  {
    name: 'npm-workspaces',
    settings: { rootDirectory: 'apps/api' },
    files: {
      'package.json': { private: true, workspaces: ['apps/*', 'packages/*'] },
      'packages/words/package.json': { name: '@mono/words', version: '1.0.0', main: 'index.js' },
      'packages/words/index.js': `module.exports = 'workspace';\n`,
      'apps/api/package.json': {
        name: 'api',
        version: '1.0.0',
        dependencies: { ...EXPRESS, '@mono/words': '*' },
        scripts: { start: 'node src/main.js' },
      },
      'apps/api/src/main.js': `const express = require('express');\nexpress().get('/', (q, s) => s.send(require('@mono/words'))).listen(process.env.PORT);\n`,
    },
    start: 'node src/main.js',
    answers: { text: 'workspace' },
  },
  workspaces('pnpm', {
    'package.json': { private: true, packageManager: 'pnpm@10.12.0' },
    'pnpm-workspace.yaml': 'packages:\n  - apps/*\n  - packages/*\n',
  }),
  workspaces('bun', {
    'package.json': { private: true, packageManager: 'bun@1.4.5', workspaces: ['apps/*', 'packages/*'] },
  }),
  {
    name: 'vite-express',
    files: {
      'package.json': {
        type: 'module',
        dependencies: EXPRESS,
        devDependencies: { vite: '^7.0.0' },
        scripts: { build: 'vite build', start: 'node server/index.js' },
      },
      'index.html': '<!doctype html><title>vite-express</title><script type="module" src="/main.js"></script>',
      'main.js': `document.body.append('hello');\n`,
      'server/index.js': `import express from 'express';\nexpress().use(express.static('dist')).listen(process.env.PORT);\n`,
    },
    built: { 'dist/index.html': '' },
    build: 'npm run build',
    start: 'node server/index.js',
    answers: { text: '<title>vite-express' },
  },
];

/** Express applications, in the ways that projects build and start them. */
export const EXPRESS_STARTERS = STARTERS.map((starter): Starter => ({ framework: 'Express', build: null, ...starter }));
