/** A framework or tool, recognized by a dependency. */
export interface Framework {
  name: string;
  /** Any of these in package.json means that the application uses it. */
  packages: readonly string[];
  /**
   * Server files that the build creates, in order of precedence, relative to the application. `{path}` is the application's path from
   * one of its parent directories; only the framework knows which one.
   */
  server?: readonly string[];
  /** Directories of a static site that the build creates. `*` stands for one directory. */
  site?: readonly string[];
  /** A module that the build creates in place of a server, whose default export answers requests by `fetch`, and the files beside it. */
  handler?: { module: string; files: string };
  /** The build command if package.json has no `build` script. */
  build?: string;
  /** The package that provides the program of the build command, if it is none of `packages`. Without it, npx would run an unrelated one. */
  builder?: string;
  /** Variables with which the build creates a standalone server, unless the framework's configuration says otherwise. */
  environment?: Readonly<Record<string, string>>;
  /** True if its applications may leave listening to the host, and only export what answers requests. */
  isExported?: true;
  /** Advice to the owner if the build created neither server nor site. */
  advice?: string;
}

const NITRO = { NITRO_PRESET: 'node-server' } as const;
const NITRO_SERVER = ['.output/server/index.mjs'] as const;

/** Usual output directories of Vite. */
const VITE_SITES = ['dist', 'build', 'out', 'www'] as const;

/** Servers of Next.js in packages, if the root of their monorepo is the application, such as one of Nx. Each repeats the package's path. */
const NEXT_PACKAGES = ['apps/*', '*'].map((path) => `${path}/.next/standalone/${path}/server.js`);

const ANGULAR: Framework = {
  name: 'Angular',
  packages: ['@angular/core'],
  server: ['dist/*/server/server.mjs'],
  // Ionic's applications are built into `www`.
  site: ['dist/*/browser', 'dist/*', 'dist', 'www/browser', 'www'],
  build: 'npx ng build',
  builder: '@angular/cli',
};

/**
 * The recognized frameworks, most specific first: a framework that builds with Vite must precede Vite. Sources: each project's own page
 * about deploying to a Node server.
 */
const FRAMEWORKS: readonly Framework[] = [
  // Its admin UI is a Next.js application, which it builds itself.
  { name: 'KeystoneJS', packages: ['@keystone-6/core'], build: 'npx keystone build' },
  {
    name: 'Next.js',
    packages: ['next'],
    // Next.js repeats the application's path below the topmost directory with a lockfile.
    server: ['.next/standalone/server.js', '.next/standalone/{path}/server.js', ...NEXT_PACKAGES],
    site: ['out'],
    build: 'npx next build',
    // Next.js reads this as `output: 'standalone'` unless next.config sets another output.
    environment: { NEXT_PRIVATE_STANDALONE: 'true' },
    advice: `set output: 'standalone' in next.config, so that the build creates it`,
  },
  {
    name: 'Nuxt',
    packages: ['nuxt', 'nuxt3', 'nuxt-nightly'],
    server: NITRO_SERVER,
    site: ['.output/public'],
    build: 'npx nuxt build',
    environment: NITRO,
    advice: 'Nuxt creates it with "nuxt build" and the preset node-server',
  },
  {
    name: 'SolidStart',
    packages: ['@solidjs/start', 'solid-start'],
    server: NITRO_SERVER,
    environment: NITRO,
    advice:
      'use the preset node-server, from version 2 on with nitro() of the package nitro in the plugins of vite.config',
  },
  {
    name: 'TanStack Start',
    packages: ['@tanstack/react-start', '@tanstack/solid-start', '@tanstack/start'],
    server: NITRO_SERVER,
    handler: { module: 'dist/server/server.js', files: 'dist/client' },
    site: ['dist/client'],
    environment: NITRO,
    advice:
      'add nitro() of the package nitro to the plugins of vite.config, or the package srvx and a start script "srvx --prod -s ../client dist/server/server.js"',
  },
  {
    name: 'Analog',
    packages: ['@analogjs/platform'],
    server: ['dist/analog/server/index.mjs'],
    site: ['dist/analog/public', 'dist/client'],
    environment: NITRO,
  },
  {
    name: 'React Router',
    packages: ['@react-router/node', '@react-router/serve', '@react-router/dev'],
    site: ['build/client'],
    build: 'npx react-router build',
    builder: '@react-router/dev',
    advice: 'a start script "react-router-serve ./build/server/index.js" starts it',
  },
  {
    name: 'Remix',
    packages: ['@remix-run/node', '@remix-run/serve', '@remix-run/dev'],
    site: ['build/client'],
    advice: 'a start script "remix-serve ./build/server/index.js" starts it',
  },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit'],
    server: ['build/index.js'],
    site: ['build'],
    // @sveltejs/adapter-auto, the default of new projects, then installs and uses adapter-node.
    environment: { GCP_BUILDPACKS: 'true' },
    advice: 'use @sveltejs/adapter-node (a server) or @sveltejs/adapter-static (files) in svelte.config.js',
  },
  {
    name: 'Astro',
    packages: ['astro'],
    server: ['dist/server/entry.mjs'],
    site: ['dist'],
    build: 'npx astro build',
    advice: 'use @astrojs/node with mode "standalone" for pages that a server renders',
  },
  {
    name: 'Qwik City',
    packages: ['@builder.io/qwik-city', '@qwik.dev/router'],
    server: ['server/entry.node-server.js', 'server/entry.fastify.js', 'server/entry.express.js'],
    site: ['dist'],
    advice: 'run "npm run qwik add", choose node-server, fastify, express or static, and commit what it adds',
  },
  { name: 'Waku', packages: ['waku'], server: ['dist/serve-node.js'], site: ['dist/public'], build: 'npx waku build' },
  {
    name: 'Expo',
    packages: ['expo'],
    site: ['dist'],
    build: 'npx expo export --platform web',
    advice: 'export the web platform ("npx expo export --platform web"), which needs react-dom and react-native-web',
  },
  { name: 'Gatsby', packages: ['gatsby'], site: ['public'], build: 'npx gatsby build' },
  { name: 'Docusaurus', packages: ['@docusaurus/core'], site: ['build'], build: 'npx docusaurus build' },
  { name: 'VitePress', packages: ['vitepress'], site: ['.vitepress/dist', '*/.vitepress/dist'] },
  {
    name: 'VuePress',
    packages: ['vuepress', 'vuepress-vite', 'vuepress-webpack'],
    site: ['.vuepress/dist', '*/.vuepress/dist'],
  },
  { name: 'Rspress', packages: ['rspress', '@rspress/core'], site: ['doc_build'], build: 'npx rspress build' },
  { name: 'Slidev', packages: ['@slidev/cli'], site: ['dist'], build: 'npx slidev build' },
  { name: 'Hexo', packages: ['hexo'], site: ['public'], build: 'npx hexo generate' },
  { name: 'Eleventy', packages: ['@11ty/eleventy'], site: ['_site'], build: 'npx @11ty/eleventy' },
  {
    name: 'NestJS',
    packages: ['@nestjs/core'],
    server: ['dist/main.js', 'dist/src/main.js'],
    build: 'npx nest build',
    builder: '@nestjs/cli',
  },
  { name: 'AdonisJS', packages: ['@adonisjs/core'], server: ['build/bin/server.js', 'build/server.js'] },
  { name: 'Strapi', packages: ['@strapi/strapi'] },
  { name: 'Directus', packages: ['directus'] },
  { name: 'Medusa', packages: ['@medusajs/medusa'] },
  { name: 'FeathersJS', packages: ['@feathersjs/feathers'], server: ['lib/index.js', 'src/index.js'] },
  { name: 'LoopBack', packages: ['@loopback/core'], server: ['dist/index.js'] },
  { name: 'Sails', packages: ['sails'] },
  // Angular's server renderer uses Express. Without this package, Express together with Angular is the owner's own server.
  { ...ANGULAR, packages: ['@angular/ssr'] },
  { name: 'Hono', packages: ['hono'], server: ['dist/index.js', 'dist/index.mjs'], isExported: true },
  { name: 'Fastify', packages: ['fastify'] },
  { name: 'Express', packages: ['express'], isExported: true },
  { name: 'Koa', packages: ['koa'] },
  { name: 'hapi', packages: ['@hapi/hapi'] },
  { name: 'Apollo Server', packages: ['@apollo/server', 'apollo-server'] },
  { name: 'GraphQL Yoga', packages: ['graphql-yoga'] },
  { name: 'Nitro', packages: ['nitropack', 'nitro'], server: NITRO_SERVER, environment: NITRO },
  { name: 'H3', packages: ['h3'], isExported: true },
  { name: 'tRPC', packages: ['@trpc/server'] },
  { name: 'Polka', packages: ['polka'] },
  { name: 'Restify', packages: ['restify'] },
  { name: 'Micro', packages: ['micro'] },
  ANGULAR,
  { name: 'Create React App', packages: ['react-scripts'], site: ['build'], build: 'npx react-scripts build' },
  { name: 'Vue CLI', packages: ['@vue/cli-service'], site: ['dist'], build: 'npx vue-cli-service build' },
  { name: 'Ember', packages: ['ember-cli'], site: ['dist'] },
  { name: 'Stencil', packages: ['@stencil/core'], site: ['www', 'dist'] },
  { name: 'Parcel', packages: ['parcel', 'parcel-bundler'], site: ['dist'] },
  { name: 'Rsbuild', packages: ['@rsbuild/core'], site: ['dist'], build: 'npx rsbuild build' },
  { name: 'Farm', packages: ['@farmfe/core'], site: ['dist'], build: 'npx farm build', builder: '@farmfe/cli' },
  {
    name: 'Vike',
    packages: ['vike'],
    server: ['dist/server/index.mjs'],
    site: ['dist/client', ...VITE_SITES],
    build: 'npx vike build',
    advice:
      'set server to true in pages/+config, so that the build creates a server, or prerender to true for a site of files',
  },
  // Solid 2, whose builds have a server if the option `ssr` or server functions are used.
  {
    name: 'Solid',
    packages: ['@solidjs/vite-plugin'],
    server: ['dist/server/node.js'],
    handler: { module: 'dist/server/server.js', files: 'dist/client' },
    site: ['dist/client', ...VITE_SITES],
    build: 'npx vite build',
    builder: 'vite',
  },
  { name: 'Vite', packages: ['vite', 'rolldown-vite'], site: VITE_SITES, build: 'npx vite build' },
  { name: 'webpack', packages: ['webpack'], site: ['dist', 'build', 'public'] },
  {
    name: 'Elysia',
    packages: ['elysia'],
    isExported: true,
    advice:
      'Elysia listens by Bun, and a release runs Node. End src/index.ts with "export default app" in place of listen(), or use the adapter of @elysiajs/node and a start script',
  },
];

/** The frameworks of the setting `framework`, for repositories without a package.json. */
const NAMED: Readonly<Record<string, string>> = { NEXTJS: 'Next.js', NUXT: 'Nuxt' };

/** Returns the framework of a setting; undefined for NODE and EXPRESS, which have no build. */
export const namedFramework = (setting: string): Framework | undefined =>
  FRAMEWORKS.find(({ name }) => name === NAMED[setting]);

interface Dependencies {
  dependencies: Readonly<Record<string, unknown>>;
  devDependencies: Readonly<Record<string, unknown>>;
}

/** Returns the framework of an application's package.json; undefined if none is known. */
export const frameworkOf = ({ dependencies, devDependencies }: Dependencies): Framework | undefined =>
  FRAMEWORKS.find(({ packages }) =>
    packages.some((name) => Object.hasOwn(dependencies, name) || Object.hasOwn(devDependencies, name)),
  );

/**
 * Returns the framework's advice for a release that ended without an error, if it started the server that the framework's build created:
 * such a file only exports what answers requests. Returns undefined for other starts.
 * @param start the start as the application shows it
 */
export function endedServerAdvice({
  framework,
  start,
}: {
  framework: string | null;
  start: string | null;
}): string | undefined {
  const { server = [], advice } = FRAMEWORKS.find(({ name }) => name === framework) ?? {};
  return server.some((file) => start === `node ${file}`) ? advice : undefined;
}
