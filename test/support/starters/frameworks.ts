import { type PartialStarter, program, type Starter, TSCONFIG } from './starter.ts';

/** An application of SvelteKit with one of its adapters. */
const svelteKit = (adapter: string, version: string) => ({
  files: {
    'package.json': {
      type: 'module',
      devDependencies: {
        '@sveltejs/kit': '^2.22.0',
        [`@sveltejs/adapter-${adapter}`]: version,
        '@sveltejs/vite-plugin-svelte': '^6.0.0',
        svelte: '^5.35.0',
        vite: '^7.0.0',
      },
      scripts: { dev: 'vite dev', build: 'vite build' },
    },
    'svelte.config.js': `import adapter from '@sveltejs/adapter-${adapter}';\nexport default { kit: { adapter: adapter() } };\n`,
    'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n`,
    'src/app.html': '<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
    'src/routes/+page.svelte': '<p>sveltekit</p>',
  },
  built: { 'build/index.js': '' },
  framework: 'SvelteKit',
  start: 'node build/index.js',
  answers: { text: 'sveltekit' },
});

const STARTERS: readonly PartialStarter<'build'>[] = [
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
    framework: 'Next.js',
    start: 'node .next/standalone/server.js',
    answers: { text: 'next' },
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
    framework: 'Next.js',
    start: 'node .next/standalone/server.js',
    answers: { text: 'next-as-node' },
  },
  {
    name: 'next-custom-server',
    settings: { framework: 'NEXTJS' },
    files: {
      'package.json': {
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
        scripts: { dev: 'node server.js', build: 'next build', start: 'NODE_ENV=production node server.js' },
      },
      'server.js': `const next = require('next');
const app = next({ dev: process.env.NODE_ENV !== 'production' });
const handle = app.getRequestHandler();
const server = require('node:http').createServer((request, response) =>
  request.url === '/own' ? response.end('next-custom-server') : handle(request, response),
);
app.prepare().then(() => server.listen(process.env.PORT));
`,
      'pages/index.js': `export default () => 'next';\n`,
    },
    built: { '.next/standalone/server.js': '' },
    framework: 'Next.js',
    start: 'node server.js',
    answers: { path: '/own', text: 'next-custom-server' },
  },
  {
    name: 'next-workspace',
    settings: { framework: 'NEXTJS', rootDirectory: 'apps/web' },
    files: {
      'package.json': { private: true, workspaces: ['apps/*'] },
      'apps/web/package.json': {
        name: 'web',
        version: '1.0.0',
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
        scripts: { build: 'next build', start: 'next start' },
      },
      'apps/web/pages/index.js': `export default () => 'next-workspace';\n`,
    },
    built: { '.next/standalone/apps/web/server.js': '' },
    framework: 'Next.js',
    start: 'node .next/standalone/apps/web/server.js',
    answers: { text: 'next-workspace' },
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
    framework: 'Next.js',
    start: 'files of out',
    answers: { text: 'next-export' },
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
    framework: 'Nuxt',
    start: 'node .output/server/index.mjs',
    answers: { text: 'nuxt' },
  },
  { name: 'sveltekit-node', ...svelteKit('node', '^5.2.0') },
  // As `sv create` generates it.
  { name: 'sveltekit-auto', ...svelteKit('auto', '^7.0.0') },
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
    framework: 'Astro',
    start: 'node dist/server/entry.mjs',
    answers: { text: 'astro-node' },
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
    framework: 'React Router',
    start: 'node node_modules/@react-router/serve/bin.js ./build/server/index.js',
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
    framework: 'Remix',
    start: 'node node_modules/@remix-run/serve/dist/cli.js ./build/server/index.js',
  },
  {
    name: 'waku',
    files: {
      'package.json': {
        type: 'module',
        dependencies: { waku: '1', hono: '4', react: '19' },
        scripts: { dev: 'waku dev', build: 'waku build', start: 'waku start' },
      },
      ...program('waku', 'waku', 'cli.js'),
    },
    built: { 'dist/serve-node.js': '', 'dist/public/index.html': '' },
    framework: 'Waku',
    start: 'node dist/serve-node.js',
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
    framework: 'SolidStart',
    start: 'node .output/server/index.mjs',
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
    framework: 'TanStack Start',
    start: 'node .output/server/index.mjs',
  },
  {
    name: 'tanstack-start-as-generated',
    files: {
      'package.json': {
        dependencies: { '@tanstack/react-start': '1' },
        scripts: { build: 'vite build', preview: 'vite preview' },
      },
    },
    built: { 'dist/server/server.js': '', 'dist/client/assets/a.js': '' },
    framework: 'TanStack Start',
    start: 'default export of dist/server/server.js and files of dist/client',
  },
  {
    name: 'vike-server',
    files: {
      'package.json': {
        dependencies: { vike: '0.4' },
        devDependencies: { vite: '7' },
        scripts: { build: 'vike build' },
      },
    },
    built: { 'dist/server/index.mjs': '', 'dist/client/assets/a.js': '' },
    framework: 'Vike',
    start: 'node dist/server/index.mjs',
  },
  {
    name: 'vike-prerendered',
    files: {
      'package.json': {
        dependencies: { vike: '0.4' },
        devDependencies: { vite: '7' },
        scripts: { build: 'vike build' },
      },
    },
    built: { 'dist/client/index.html': '' },
    framework: 'Vike',
    start: 'files of dist/client',
  },
  {
    name: 'solid-2',
    files: {
      'package.json': {
        dependencies: { 'solid-js': '2' },
        devDependencies: { '@solidjs/vite-plugin': '3', vite: '8' },
        scripts: { build: 'vite build' },
      },
    },
    built: { 'dist/server/server.js': '', 'dist/client/assets/a.js': '' },
    framework: 'Solid',
    start: 'default export of dist/server/server.js and files of dist/client',
  },
  {
    name: 'angular-ssr',
    files: {
      'package.json': {
        dependencies: { '@angular/core': '20', '@angular/ssr': '20', express: '5' },
        scripts: { build: 'ng build', start: 'ng serve' },
      },
      'tsconfig.json': TSCONFIG,
    },
    built: { 'dist/shop/server/server.mjs': '', 'dist/shop/browser/index.csr.html': '' },
    framework: 'Angular',
    start: 'node dist/shop/server/server.mjs',
  },
];

/** Applications of frameworks that render pages on a server. */
export const FRAMEWORK_STARTERS = STARTERS.map((starter): Starter => ({ build: 'npm run build', ...starter }));
