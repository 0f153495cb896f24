/**
 * Programs of start scripts that do not run in a release. A release runs on a read-only disk without npm, so the platform replaces
 * watchers and process managers by the program that they would start, and development servers by the framework's build output.
 */

/** Commands that start a framework's build output. */
export const FRAMEWORK_STARTS: readonly RegExp[] = [
  /^nest start\b(?!.*--(watch|debug))/,
  /^next start\b/,
  /^(nuxt|nuxi) (start|preview)\b/,
  /^vinxi start\b/,
  /^nitro preview\b/,
  /^(astro|vite|farm|rsbuild|rspress) preview\b/,
  /^vitepress (preview|serve)\b/,
  // `waku start` loads its configuration again, and with it packages that only the build needs.
  /^waku start\b/,
  /^gatsby serve\b/,
  /^docusaurus serve\b/,
];

/** Development servers, which never start in a release. */
export const DEVELOPMENT_SERVERS: readonly RegExp[] = [
  /^(next|nuxt|nuxi|astro|vinxi|nitro|remix|react-router|qwik|vitepress|vuepress(-vite|-webpack)?|wrangler|vercel|netlify) dev\b/,
  /^(rsbuild|rspack|rspress|umi|max|dumi|quasar|snowpack|waku|vike|storybook|sapper|blitz|polymer|sanity|brunch) (dev|serve)\b/,
  /^nx (run \S+:)?(serve|dev)(?![\w-])/,
  /^hexo (server|s)\b/,
  /^farm(?! (build|watch|preview|clean|plugin))(\s|$)/,
  /^slidev(?! (build|export|format|theme))(\s|$)/,
  /^(nest|strapi) (start --(watch|debug)|develop)\b/,
  /^vite(?! (build|preview|optimize))(\s|$)/,
  /^(react-scripts|docusaurus|expo|craco|react-app-rewired) start\b/,
  /^(ng|vue-cli-service|ember|webpack|ionic|stencil) (serve|server|s)\b/,
  /^(webpack-dev-server|docusaurus-start|brunch watch)\b/,
  /^stencil build\b.* --(serve|watch)\b/,
  /^tsdx start\b/,
  // Compilers and bundlers that build again when files change.
  /^(tsc|tsdx|tsup|tsdown|rollup|rolldown|esbuild|webpack|microbundle|swc|babel|unbuild|ncc|parcel|rspack|preconstruct)\b.* (-w|--watch|watch)(?![\w-])/,
  /^gatsby (develop|build)\b/,
  /^(parcel|eleventy|npm-run-all2?)\b/,
  /^(live-server|lite-server|browser-sync|start-storybook)\b/,
];

/** File servers, each with its option for single-page applications, which serves the front page for unknown paths. */
export const FILE_SERVERS: Readonly<Record<string, RegExp | undefined>> = {
  serve: /^(-s|--single)$/,
  sirv: /^(-s|--single)$/,
  'sirv-cli': /^(-s|--single)$/,
  'http-server': undefined,
  'serve-handler': undefined,
};
/** Options of file servers that are followed by a value. */
export const FILE_SERVER_OPTIONS_WITH_VALUE: readonly string[] = [
  '-l',
  '--listen',
  '-p',
  '--port',
  '-c',
  '--config',
  '-a',
];

/** Matches commands that only prepare a build. */
export const CLEANING_COMMAND = /^((npm|pnpm|yarn|bun) (run(-script)? )?clean\b|(rimraf|rm|mkdir|mkdirp|del-cli) )/;

/** Commands that belong to the build when a start script begins with them. */
export const BUILD_COMMANDS: readonly RegExp[] = [
  /^(npm|pnpm|yarn|bun) (run(-script)? )?(build|compile|prebuild|clean|generate|prepare|bundle|transpile)\b/,
  /^(tsc|tsup|tsdown|swc|babel|esbuild|rollup|webpack|unbuild|ncc|tsc-alias|pkgroll|bunchee)\b/,
  /^(next|nuxt|nuxi|nest|astro|vite|remix|react-router|vinxi|gatsby|ng|react-scripts|strapi|svelte-kit) (build|generate|sync)\b/,
  /^prisma generate\b/,
  // Style sheets, unless in watch mode.
  /^(sass|node-sass|lessc|stylus|postcss|tailwindcss)\b(?!.* (-w|--watch)\b)/,
  /^(rimraf|rm|mkdir|mkdirp|cp|cpx|copyfiles|shx|del-cli|mv) /,
  /^(npm|pnpm|yarn|bun) (ci|install|i)\b/,
];

/** Matches programs that build again when files change, beside those of {@link BUILD_COMMANDS}. */
export const BUILD_WATCHERS = /^(sass|node-sass|lessc|stylus|postcss|tailwindcss|chokidar|onchange|wait-on|open-cli)\b/;

/**
 * Matches programs that a release does not have and that do not come with the packages of an application: it runs Node and the programs of
 * packages, on an image without tools.
 */
export const FOREIGN_PROGRAMS =
  /^(deno|docker|docker-compose|podman|kubectl|make|gmake|cmake|just|python[\d.]*|pip[\d.]*|uvicorn|gunicorn|ruby|bundle|php|java|go|cargo|dotnet|nginx|sudo|su|systemctl|service|supervisord|doppler|infisical|heroku|foreman|brew)$/;
/** Matches programs that open a window. */
export const DESKTOP_PROGRAMS = /^(electron|electron-forge|electron-vite|nw|tauri)$/;
/** Matches package managers. */
export const PACKAGE_MANAGERS = /^(npm|npx|pnpm|pnpx|yarn|corepack|bun|bunx)$/;
/** Matches process managers, which keep processes running in the background and write files next to the code. */
export const PROCESS_MANAGERS = /^(.*\/)?(pm2|pm2-runtime|pm2-docker|forever)$/;
/** Matches programs that start a file again when it changes. */
export const WATCHERS = /^(.*\/)?(nodemon|node-dev|ts-node-dev|tsnd|supervisor)$/;
