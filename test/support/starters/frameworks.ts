import { program, type Starter, TSCONFIG, TYPES } from './starter.ts';

/** Applications of frameworks with a build, and of API frameworks. */
export const FRAMEWORK_STARTERS: readonly Starter[] = [
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
    ...{ framework: 'Apollo Server', build: null, start: 'node index.js' },
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
    ...{ framework: 'GraphQL Yoga', build: null, start: 'node index.js' },
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
    ...{ framework: 'tRPC', build: null, start: 'node server.mjs', answers: { path: '/hello', text: 'trpc' } },
  },
  {
    name: 'h3',
    files: {
      'package.json': { type: 'module', dependencies: { h3: '^1.15.0' }, main: 'index.mjs' },
      'index.mjs': `import { createServer } from 'node:http';\nimport { createApp, eventHandler, toNodeListener } from 'h3';\nconst app = createApp();\napp.use('/', eventHandler(() => 'h3'));\ncreateServer(toNodeListener(app)).listen(process.env.PORT);\n`,
    },
    ...{ framework: 'H3', build: null, start: 'node index.mjs', answers: { text: 'h3' } },
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
    ...{
      framework: 'Nitro',
      build: 'npm run build',
      start: 'node .output/server/index.mjs',
      answers: { text: 'nitro' },
    },
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
    ...{ framework: 'NestJS', build: 'npm run build', start: 'node dist/main.js', answers: { text: 'nest' } },
  },
  {
    name: 'next',
    settings: { framework: 'NEXTJS' },
    files: {
      'package.json': {
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
        scripts: { dev: 'next dev', build: 'next build', start: 'next start' },
      },
      'app/layout.js': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`,
      'app/page.js': `export const dynamic = 'force-dynamic';\nexport default () => <p>next</p>;\n`,
    },
    built: { '.next/standalone/server.js': '', '.next/BUILD_ID': '' },
    ...{
      framework: 'Next.js',
      build: 'npm run build',
      start: 'node .next/standalone/server.js',
      answers: { text: 'next' },
    },
  },
  {
    name: 'next-start-as-node',
    files: {
      'package.json': {
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
        scripts: { build: 'next build', start: 'next start -p $PORT' },
      },
      'pages/index.js': `export default () => 'next-as-node';\n`,
    },
    built: { '.next/standalone/server.js': '' },
    ...{
      framework: 'Next.js',
      build: 'npm run build',
      start: 'node .next/standalone/server.js',
      answers: { text: 'next-as-node' },
    },
  },
  {
    name: 'next-export',
    settings: { framework: 'NEXTJS' },
    files: {
      'package.json': {
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
        scripts: { build: 'next build' },
      },
      'next.config.mjs': `export default { output: 'export' };\n`,
      'pages/index.js': `export default () => 'next-export';\n`,
    },
    built: { 'out/index.html': '' },
    ...{ framework: 'Next.js', build: 'npm run build', start: 'files of out', answers: { text: 'next-export' } },
  },
  {
    name: 'nuxt',
    settings: { framework: 'NUXT' },
    files: {
      'package.json': {
        type: 'module',
        dependencies: { nuxt: '^4.0.0' },
        scripts: { build: 'nuxt build', start: 'nuxt preview' },
      },
      'app/app.vue': '<template><p>nuxt</p></template>',
    },
    built: { '.output/server/index.mjs': '', '.output/public/index.html': '' },
    ...{ framework: 'Nuxt', build: 'npm run build', start: 'node .output/server/index.mjs', answers: { text: 'nuxt' } },
  },
  {
    name: 'sveltekit-node',
    files: {
      'package.json': {
        type: 'module',
        devDependencies: {
          '@sveltejs/kit': '^2.22.0',
          '@sveltejs/adapter-node': '^5.2.0',
          '@sveltejs/vite-plugin-svelte': '^6.0.0',
          svelte: '^5.35.0',
          vite: '^7.0.0',
        },
        scripts: { dev: 'vite dev', build: 'vite build' },
      },
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };\n`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n`,
      'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.svelte': '<p>sveltekit</p>',
    },
    built: { 'build/index.js': '' },
    ...{ framework: 'SvelteKit', build: 'npm run build', start: 'node build/index.js', answers: { text: 'sveltekit' } },
  },
  {
    name: 'astro-node',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { astro: '^5.11.0', '@astrojs/node': '^9.3.0' },
        scripts: { dev: 'astro dev', build: 'astro build', start: 'astro dev' },
      },
      'astro.config.mjs': `import node from '@astrojs/node';\nexport default { output: 'server', adapter: node({ mode: 'standalone' }) };\n`,
      'src/pages/index.astro': '<html><body>astro-node</body></html>',
    },
    built: { 'dist/server/entry.mjs': '' },
    ...{
      framework: 'Astro',
      build: 'npm run build',
      start: 'node dist/server/entry.mjs',
      answers: { text: 'astro-node' },
    },
  },
  {
    name: 'react-router',
    files: {
      'package.json': {
        type: 'module',
        dependencies: {
          '@react-router/node': '7.18.4',
          '@react-router/serve': '7.18.4',
          react: '^19.0.0',
          'react-dom': '^19.0.0',
          'react-router': '7.18.4',
          isbot: '^5.1.0',
        },
        devDependencies: { '@react-router/dev': '7.18.4', vite: '^6.3.0' },
        scripts: { build: 'react-router build', start: 'react-router-serve ./build/server/index.js' },
      },
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite';\nexport default { plugins: [reactRouter()] };\n`,
      'app/root.jsx': `import * as router from 'react-router';\nconst Page = router['Out' + 'let'];\nexport default () => <html lang="en"><body><Page /><router.Scripts /></body></html>;\n`,
      'app/routes.js': `import { index } from '@react-router/dev/routes';\nexport default [index('home.jsx')];\n`,
      'app/home.jsx': `export default () => <p>react-router</p>;\n`,
    },
    built: {
      'build/server/index.js': '',
      'build/client/x.js': '',
      ...program('@react-router/serve', 'react-router-serve'),
    },
    ...{
      framework: 'React Router',
      build: 'npm run build',
      start: 'node node_modules/@react-router/serve/bin.js ./build/server/index.js',
    },
    answers: { text: 'react-router' },
  },
  {
    name: 'remix',
    files: {
      'package.json': {
        dependencies: { '@remix-run/serve': '2' },
        scripts: { build: 'remix vite:build', start: 'remix-serve ./build/server/index.js' },
      },
    },
    built: { 'build/server/index.js': '', ...program('@remix-run/serve', 'remix-serve', 'dist/cli.js') },
    ...{
      framework: 'Remix',
      build: 'npm run build',
      start: 'node node_modules/@remix-run/serve/dist/cli.js ./build/server/index.js',
    },
  },
  {
    name: 'solidstart',
    files: {
      'package.json': {
        dependencies: { '@solidjs/start': '1', vinxi: '0.5' },
        scripts: { build: 'vinxi build', start: 'vinxi start' },
      },
    },
    built: { '.output/server/index.mjs': '' },
    ...{ framework: 'SolidStart', build: 'npm run build', start: 'node .output/server/index.mjs' },
  },
  {
    name: 'tanstack-start',
    files: {
      'package.json': {
        dependencies: { '@tanstack/react-start': '1' },
        scripts: { build: 'vite build', start: 'node .output/server/index.mjs' },
      },
    },
    built: { '.output/server/index.mjs': '' },
    ...{ framework: 'TanStack Start', build: 'npm run build', start: 'node .output/server/index.mjs' },
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
    ...{ framework: 'AdonisJS', build: 'npm run build', start: 'node build/bin/server.js' },
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
    ...{ framework: 'Strapi', build: 'npm run build', start: 'node node_modules/@strapi/strapi/bin/strapi.js start' },
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
    ...{ framework: 'FeathersJS', build: 'npm run compile', start: 'node lib/index.js' },
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
    ...{ framework: 'LoopBack', build: 'npm run build', start: 'node dist/index.js' },
  },
  {
    name: 'angular-ssr',
    files: {
      'package.json': {
        dependencies: { '@angular/core': '20', '@angular/ssr': '20' },
        scripts: { build: 'ng build', start: 'ng serve' },
      },
      'tsconfig.json': TSCONFIG,
    },
    built: { 'dist/shop/server/server.mjs': '', 'dist/shop/browser/index.csr.html': '' },
    ...{ framework: 'Angular', build: 'npm run build', start: 'node dist/shop/server/server.mjs' },
  },
];
