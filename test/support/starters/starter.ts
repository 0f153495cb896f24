/** A small repository of the shape that a framework's generator or its tutorial makes. */
export interface Starter {
  name: string;
  /** Files of the repository; an object is written as JSON. */
  files: Readonly<Record<string, string | object>>;
  /** Settings of the application; none is the rule. */
  settings?: { rootDirectory?: string; framework?: 'NEXTJS' | 'NUXT' | 'EXPRESS' };
  /** Files that its installation and build make, for detection without them. */
  built?: Readonly<Record<string, string>>;
  /** Expected detection: framework, build command and start. */
  framework: string;
  build: string | null;
  start: string;
  /** Expected answer: path, status and text. Absent where installing it takes too long for a test. */
  answers?: { path?: string; status?: number; text: string };
}

/** A starter that leaves out expectations which most starters of its list share. */
export type PartialStarter<K extends 'framework' | 'build'> = Omit<Starter, K> & Partial<Pick<Starter, K>>;

/** An HTTP server without dependencies that says a word. */
export const plainServer = (word: string, listen = 'process.env.PORT'): string =>
  `require('node:http').createServer((request, response) => response.end('${word}')).listen(${listen});\n`;

/** An Express application that says a word. */
export const expressServer = (word: string, before = ''): string =>
  `const express = require('express');\nconst app = express();\n${before}app.get('/', (request, response) => response.send('${word}'));\napp.listen(process.env.PORT || 3000);\n`;

/** An Express application in TypeScript that says a word, as an ES module. */
export const expressTs = (word: string): string =>
  `import express from 'express';\nconst app = express();\nconst word: string = '${word}';\napp.get('/', (_request, response) => { response.send(word); });\napp.listen(Number(process.env.PORT ?? 3000));\n`;

export const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    outDir: 'dist',
    rootDir: 'src',
    strict: true,
    skipLibCheck: true,
    esModuleInterop: true,
    types: ['node'],
  },
  include: ['src'],
};

export const EXPRESS = { express: '^5.1.0' };
export const TYPES = { typescript: '~5.9.0', '@types/node': '^22.0.0', '@types/express': '^5.0.0' };
/** A module of the package `name`, as an installation leaves it. */
export const program = (name: string, bin: string, file = 'bin.js') => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', bin: { [bin]: file } }),
  [`node_modules/${name}/${file}`]: '#!/usr/bin/env node\n',
});
