import { globSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildContext, type BuildOptions, context, type OutputFile, type Plugin, stop } from 'esbuild';
import { builtins } from './builtins.ts';

/** The project's root, so that sources are found from any working directory. */
const ROOT = resolve(import.meta.dirname, '../..');

/** The default output folder of the bundles. */
const BUNDLES = join(ROOT, 'dist');

/**
 * Programs that share esbuild's options: the Node target and the format. Each entry has the output path, relative to the bundles' folder, and
 * the source.
 */
interface Programs {
  target: string;
  format: 'esm' | 'cjs';
  entries: () => { out: string; in: string }[];
}

/**
 * A module that nearly every function imports dynamically but few invocations need. It is a separate file next to the bundles, so that a cold
 * start reads it only if needed.
 */
const SHARED_CHUNKS = 'access-token';

const PROGRAMS: Programs[] = [
  {
    target: 'node24',
    format: 'esm',
    entries: () => [
      ...functionNames().map((name) => ({ out: `functions/${name}/index`, in: join(ROOT, 'functions', `${name}.ts`) })),
      { out: SHARED_CHUNKS, in: join(ROOT, 'runtime/http', `${SHARED_CHUNKS}.ts`) },
    ],
  },
  {
    // These run outside Lambda's Node 24: the first on the build image's Node, the others on the application's.
    target: 'node20',
    format: 'esm',
    entries: () =>
      ['main', ...['environment', 'launch', 'site-server'].map((name) => `app-runtime/${name}`)].map((path) => ({
        out: `builder/${basename(path)}`,
        in: join(ROOT, 'builder', `${path}.ts`),
      })),
  },
  {
    // Preloaded with `--require`, which does not accept ES modules on Node 20.
    target: 'node20',
    format: 'cjs',
    entries: () => [{ out: 'builder/preload', in: join(ROOT, 'builder/app-runtime/preload.ts') }],
  },
];

/** Returns every function as `<group>/<name>`, sorted. Each is one file under `functions/`. */
export function functionNames(): string[] {
  return globSync('*/*.ts', { cwd: join(ROOT, 'functions') })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => file.replaceAll('\\', '/').slice(0, -'.ts'.length))
    .sort();
}

/** Returns the function's folder below the bundles' folder. Its bundle is `index.mjs` in that folder. */
export function functionFolder(bundles: string, name: string): string {
  return join(bundles, 'functions', name);
}

/** Creates the folders of all bundles, for a synthesis that runs before the bundles exist. */
export function createFolders(bundles: string): void {
  const folders = [...functionNames().map((name) => functionFolder(bundles, name)), join(bundles, 'builder')];
  for (const folder of folders) mkdirSync(folder, { recursive: true });
}

export interface Bundling {
  /** Folder that receives `functions/<group>/<name>/index.mjs`, `builder/*` and esbuild's `meta-*.json`. */
  outdir?: string;
  /** Called after each build with the changed bundles' absolute paths. Not called when nothing changed. */
  onChange?: (changed: string[]) => void;
  /** Called with esbuild's messages when a build fails. */
  onError?: (message: string) => void;
}

/** Bundles everything once and returns the folder. Throws if a source does not compile. */
export async function bundle({ outdir = BUNDLES }: Bundling = {}): Promise<string> {
  const contexts = await createContexts({ outdir });
  try {
    await Promise.all(contexts.map((build) => build.rebuild()));
  } finally {
    await Promise.all(contexts.map((build) => build.dispose()));
  }
  return outdir;
}

/** Ends esbuild's process, which otherwise keeps up to 1 GB of memory. No bundles may be open. */
export const stopBundler = stop;

/** An open set of bundles whose rebuild costs a fraction of the first build. */
export interface Bundles {
  /** Bundles what changed. If a source does not compile, reports it to `onError` and leaves the bundles unchanged. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles once and stays ready to rebuild. Writes only the bundles whose content changed. A function file added later
 * needs a restart, as do its route and its permissions. Throws if a source does not compile the first time.
 */
export async function openBundles(bundling: Bundling = {}): Promise<Bundles> {
  const contexts = await createContexts(bundling);
  const rebuild = () => Promise.all(contexts.map((build) => build.rebuild()));
  await rebuild();
  return {
    rebuild: async () => {
      await rebuild().catch(() => {});
    },
    close: async () => {
      await Promise.all(contexts.map((build) => build.dispose()));
    },
  };
}

function createContexts(bundling: Bundling): Promise<BuildContext[]> {
  return Promise.all(PROGRAMS.map((programs) => context(buildOptions(programs, bundling))));
}

function buildOptions({ target, format, entries }: Programs, bundling: Bundling): BuildOptions {
  const outdir = bundling.outdir ?? BUNDLES;
  return {
    absWorkingDir: ROOT,
    entryPoints: entries(),
    outdir,
    outExtension: { '.js': format === 'esm' ? '.mjs' : '.cjs' },
    bundle: true,
    platform: 'node',
    format,
    target,
    minify: true,
    legalComments: 'none',
    // esbuild removes unused code from a package's ES modules, but includes a CommonJS build as a whole.
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [builtins, sharedChunk, bundledFonts, writeChanged(outdir, `meta-${target}-${format}.json`, bundling)],
  };
}

/** Bundles the metrics of standard fonts, which pdfkit reads with its own `require` that esbuild does not recognize. */
const bundledFonts: Plugin = {
  name: 'bundled-fonts',
  setup({ onLoad }) {
    onLoad({ filter: /pdfkit\.node\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        /require\$1\(('#standard-fonts\/Helvetica(?:Bold)?')\)/g,
        'require($1)',
      ),
    }));
  },
};

const sharedChunk: Plugin = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`/${SHARED_CHUNKS}\\.ts$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${SHARED_CHUNKS}.mjs`, external: true } : undefined,
    );
  },
};

/** Returns the files to write. The separate module is copied next to each bundle that imports it. */
function withSharedChunk(files: readonly Pick<OutputFile, 'path' | 'text'>[]): Pick<OutputFile, 'path' | 'text'>[] {
  const [shared] = files.filter(({ path }) => basename(path) === `${SHARED_CHUNKS}.mjs`);
  if (!shared) return [...files];
  const { text } = shared;
  const bundles = files.filter((file) => file !== shared);
  const importers = bundles.filter((file) => file.text.includes(`./${SHARED_CHUNKS}.mjs`));
  return [...bundles, ...importers.map(({ path }) => ({ path: join(dirname(path), `${SHARED_CHUNKS}.mjs`), text }))];
}

/** Defines `require`, which CommonJS dependencies use to load Node's modules and which does not exist in ES modules. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);\n";

/** Writes only changed files, so that assets keep their hashes and a watcher learns which functions to reload. */
export function writeChanged(outdir: string, metafile: string, { onChange, onError }: Bundling): Plugin {
  return {
    name: 'write-changed',
    setup({ onEnd }) {
      onEnd(async ({ errors, outputFiles = [], metafile: meta }) => {
        if (errors.length > 0) {
          onError?.(
            errors
              .map(({ text, location }) => `${location ? `${location.file}:${location.line}: ` : ''}${text}`)
              .join('\n'),
          );
          return;
        }
        const changed = await Promise.all(
          withSharedChunk(outputFiles).map(async ({ path, text }) => {
            const content = text.includes('Dynamic require of') ? REQUIRE + text : text;
            if ((await readFile(path, 'utf8').catch(() => undefined)) === content) return [];
            await mkdir(dirname(path), { recursive: true });
            await writeFile(path, content);
            return [path];
          }),
        );
        await writeFile(join(outdir, metafile), JSON.stringify(meta));
        const paths = changed.flat();
        if (paths.length > 0) onChange?.(paths);
      });
    },
  };
}
