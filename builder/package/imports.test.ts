import { afterEach, expect, test } from 'vitest';
import { nodeFile, type Start } from '../detect/existing-start.ts';
import { application, removeApplications } from '../detect/test-applications.ts';
import { importedPackages, requiredModules } from './imports.ts';

afterEach(removeApplications);

test.each<[what: string, text: string, modules: string[]]>([
  [
    'a module of a bundler',
    'import "dotenv/config";\nimport express, { Router as R } from "express";\nimport*as fs from"node:fs";\nrun(`\nimport x from "y";\n`);',
    ['dotenv/config', 'express', 'node:fs'],
  ],
  ['a module in one line', 'import"a";import b from"@b/c";import{d as e}from"./d.js";f()', ['a', '@b/c', './d.js']],
  [
    'comments, a first line for the shell, a directive and attributes',
    '#!/usr/bin/env node\n// import "no";\n/* import "no" */ "use strict";\nimport a from "a" with { type: "json" };\nimport "b"',
    ['a', 'b'],
  ],
  [
    'TypeScript, without types',
    'import type { A } from "no";\nimport type B from "no";\nimport type, { C } from "c";\nimport { type D } from "d";',
    ['c', 'd'],
  ],
  [
    'CommonJS, without what may be in a function or a condition',
    '"use strict";\nvar a = __importDefault(require("a"));\nconst { b } = require(\'b\');\nrequire("c").config();\nif (x)\n  require("no");\nconst f = () => require("no");',
    ['a', 'b', 'c'],
  ],
  ['what is loaded later', 'const a = await import("no");\nimport("no");\nimport.meta.url;', []],
  ['an unfinished comment', '/* import "no"', []],
])('finds the modules without which a file does not start: %s', (_what, text, modules) => {
  expect(requiredModules(text)).toEqual(modules);
});

test('finds the development packages that the file of a start imports', () => {
  const { directory } = application(
    {},
    {
      'server/a.js': 'import "dotenv/config";\nimport "express";\nimport "./b.js";',
      'node_modules/x/a.js': 'import "dotenv"',
    },
  );
  const imported = (start: Start) => importedPackages(start, directory, { dotenv: '16', vite: '7' });
  expect(imported(nodeFile('server/a.js'))).toEqual(['dotenv']);
  expect(imported({ kind: 'export', directory: '', module: 'server/a.js', files: undefined })).toEqual(['dotenv']);
  for (const file of ['server/absent.js', 'node_modules/x/a.js']) expect(imported(nodeFile(file))).toEqual([]);
  expect(imported({ kind: 'shell', directory: '', command: 'node server/a.js' })).toEqual([]);
});
