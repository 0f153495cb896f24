import { program, type Starter, TYPES } from './starter.ts';

/** Applications of frameworks for APIs. */
export const API_STARTERS: readonly Starter[] = [
  {
    name: 'hono-bun-as-generated',
    files: {
      'package.json': {
        scripts: { dev: 'bun run --hot src/index.ts' },
        dependencies: { hono: '^4.10.7' },
        devDependencies: { '@types/bun': 'latest' },
      },
      'src/index.ts': `import { Hono } from 'hono'\n\nconst app = new Hono()\n\napp.get('/', (c) => {\n  return c.text('Hello Hono!')\n})\n\nexport default app\n`,
    },
    framework: 'Hono',
    build: null,
    start: 'default export of src/index.ts',
    answers: { text: 'Hello Hono!' },
  },
  {
    name: 'apollo-server',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { '@apollo/server': '^5.0.0', graphql: '^16.11.0' },
        scripts: { start: 'node index.js' },
      },
      'index.js': `import { ApolloServer } from '@apollo/server';\nimport { startStandaloneServer } from '@apollo/server/standalone';\nconst server = new ApolloServer({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'apollo' } }, csrfPrevention: false });\nawait startStandaloneServer(server, { listen: { port: Number(process.env.PORT) } });\n`,
    },
    framework: 'Apollo Server',
    build: null,
    start: 'node index.js',
    answers: { path: '/?query=%7Bhello%7D', text: 'apollo' },
  },
  {
    name: 'graphql-yoga',
    files: {
      'package.json': {
        dependencies: { 'graphql-yoga': '^5.15.0', graphql: '^16.11.0' },
        scripts: { start: 'node index.js' },
      },
      'index.js': `const { createSchema, createYoga } = require('graphql-yoga');\nconst schema = createSchema({ typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'yoga' } } });\nrequire('node:http').createServer(createYoga({ schema })).listen(process.env.PORT);\n`,
    },
    framework: 'GraphQL Yoga',
    build: null,
    start: 'node index.js',
    answers: { path: '/graphql?query=%7Bhello%7D', text: 'yoga' },
  },
  {
    name: 'trpc-standalone',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { '@trpc/server': '^11.4.0' },
        scripts: { start: 'node server.mjs' },
      },
      'server.mjs': `import { initTRPC } from '@trpc/server';\nimport { createHTTPServer } from '@trpc/server/adapters/standalone';\nconst t = initTRPC.create();\nconst router = t.router({ hello: t.procedure.query(() => 'trpc') });\ncreateHTTPServer({ router }).listen(Number(process.env.PORT));\n`,
    },
    framework: 'tRPC',
    build: null,
    start: 'node server.mjs',
    answers: { path: '/hello', text: 'trpc' },
  },
  {
    name: 'h3',
    files: {
      'package.json': { type: 'module', dependencies: { h3: '^1.15.0' }, main: 'index.mjs' },
      'index.mjs': `import { createServer } from 'node:http';\nimport { createApp, eventHandler, toNodeListener } from 'h3';\nconst app = createApp();\napp.use('/', eventHandler(() => 'h3'));\ncreateServer(toNodeListener(app)).listen(process.env.PORT);\n`,
    },
    framework: 'H3',
    build: null,
    start: 'node index.mjs',
    answers: { text: 'h3' },
  },
  {
    name: 'nitro',
    files: {
      'package.json': {
        type: 'module',
        devDependencies: { nitropack: '^2.11.0' },
        scripts: { build: 'nitro build', preview: 'node .output/server/index.mjs' },
      },
      'nitro.config.ts': `export default defineNitroConfig({ srcDir: 'server', compatibilityDate: '2025-01-01' });\n`,
      'server/routes/index.ts': `export default eventHandler(() => 'nitro');\n`,
      'tsconfig.json': {},
    },
    built: { '.output/server/index.mjs': '' },
    framework: 'Nitro',
    build: 'npm run build',
    start: 'node .output/server/index.mjs',
    answers: { text: 'nitro' },
  },
  {
    name: 'nest',
    files: {
      'package.json': {
        dependencies: {
          '@nestjs/common': '^11.0.0',
          '@nestjs/core': '^11.0.0',
          '@nestjs/platform-express': '^11.0.0',
          'reflect-metadata': '^0.2.2',
          rxjs: '^7.8.1',
        },
        devDependencies: { ...TYPES, '@nestjs/cli': '^11.0.0' },
        scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
      },
      'nest-cli.json': { sourceRoot: 'src' },
      'tsconfig.json': {
        compilerOptions: {
          module: 'commonjs',
          target: 'ES2022',
          outDir: './dist',
          experimentalDecorators: true,
          emitDecoratorMetadata: true,
          skipLibCheck: true,
        },
      },
      'src/main.ts': `import 'reflect-metadata';\nimport { Controller, Get, Module } from '@nestjs/common';\nimport { NestFactory } from '@nestjs/core';\n@Controller()\nclass Hello { @Get() hello() { return 'nest'; } }\n@Module({ controllers: [Hello] })\nclass App {}\nNestFactory.create(App).then((app) => app.listen(process.env.PORT ?? 3000));\n`,
    },
    built: { 'dist/main.js': '' },
    framework: 'NestJS',
    build: 'npm run build',
    start: 'node dist/main.js',
    answers: { text: 'nest' },
  },
  {
    name: 'adonis',
    files: {
      'package.json': {
        dependencies: { '@adonisjs/core': '6' },
        scripts: { build: 'node ace build', start: 'node bin/server.js' },
      },
    },
    built: { 'build/bin/server.js': '' },
    framework: 'AdonisJS',
    build: 'npm run build',
    start: 'node build/bin/server.js',
  },
  {
    name: 'keystone',
    files: {
      'package.json': {
        dependencies: { '@keystone-6/core': '8', next: '16', '@prisma/client': '7' },
        scripts: { dev: 'keystone dev', build: 'keystone build', start: 'keystone start' },
      },
      ...program('@keystone-6/core', 'keystone'),
    },
    framework: 'KeystoneJS',
    build: 'npm run build',
    start: 'node node_modules/@keystone-6/core/bin.js start',
  },
  {
    name: 'strapi',
    files: {
      'package.json': {
        dependencies: { '@strapi/strapi': '5' },
        scripts: { build: 'strapi build', start: 'strapi start' },
      },
    },
    built: program('@strapi/strapi', 'strapi', 'bin/strapi.js'),
    framework: 'Strapi',
    build: 'npm run build',
    start: 'node node_modules/@strapi/strapi/bin/strapi.js start',
  },
  {
    name: 'feathers',
    files: {
      'package.json': {
        dependencies: { '@feathersjs/feathers': '5' },
        scripts: { compile: 'tsc', start: 'npm run compile && node lib/' },
        main: 'lib/',
      },
    },
    built: { 'lib/index.js': '' },
    framework: 'FeathersJS',
    build: 'npm run compile',
    start: 'node lib/index.js',
  },
  {
    name: 'loopback',
    files: {
      'package.json': {
        dependencies: { '@loopback/core': '6' },
        main: 'dist/index.js',
        scripts: { build: 'lb-tsc', start: 'npm run build && node -r source-map-support/register .' },
      },
    },
    built: { 'dist/index.js': '' },
    framework: 'LoopBack',
    build: 'npm run build',
    start: 'node -r source-map-support/register dist/index.js',
  },
];
