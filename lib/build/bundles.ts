import { globSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type BuildContext, type BuildOptions, context, type OutputFile, type Plugin } from 'esbuild';

/** The project's root: sources are found from here whatever the working directory is. */
const ROOT = resolve(import.meta.dirname, '..');

/** Where bundles go unless told otherwise. */
export const BUNDLES = join(ROOT, 'dist');

/** Programs that are bundled alike: where each comes out, below the bundles' folder, and its source. */
interface Programs {
  target: string;
  entries: () => { out: string; in: string }[];
}

/**
 * What is imported when it is first needed, by nearly every function and in few of their lives: a file of its own beside the
 * bundles, so that those who never need it do not read it either.
 */
const APART = 'access-token';

const PROGRAMS: Programs[] = [
  {
    target: 'node24',
    entries: () => [
      ...functionNames().map((name) => ({ out: `functions/${name}/index`, in: join(ROOT, 'functions', `${name}.ts`) })),
      { out: APART, in: join(ROOT, 'runtime', `${APART}.ts`) },
    ],
  },
  {
    // These two run outside Lambda's Node 24: on the build image's, and on the application's own.
    target: 'node20',
    entries: () =>
      ['main', 'environment'].map((name) => ({ out: `builder/${name}`, in: join(ROOT, 'builder', `${name}.ts`) })),
  },
];

/** Every function there is, as `<group>/<name>`, sorted: one file each under `functions/`. */
export function functionNames(): string[] {
  return globSync('*/*.ts', { cwd: join(ROOT, 'functions') })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => file.replaceAll('\\', '/').slice(0, -'.ts'.length))
    .sort();
}

/** The function's folder below the bundles' folder; `index.mjs` in it is the bundle. */
export function functionFolder(bundles: string, name: string): string {
  return join(bundles, 'functions', name);
}

/** Makes the folders of all bundles, for those who need to know where they will be. */
export function makeFolders(bundles: string): void {
  const folders = [...functionNames().map((name) => functionFolder(bundles, name)), join(bundles, 'builder')];
  for (const folder of folders) mkdirSync(folder, { recursive: true });
}

export interface Bundling {
  /** Folder that receives `functions/<group>/<name>/index.mjs`, `builder/*.mjs` and esbuild's `meta-*.json`. */
  outdir?: string;
  /** Hears after each build which files changed (absolute paths of bundles); a rebuild that changes nothing is silent. */
  onChange?: (changed: string[]) => void;
  /** Hears of a build that failed, in esbuild's words. */
  onError?: (message: string) => void;
}

/** Bundles everything once and returns the folder. Throws where a source does not compile. */
export async function bundle({ outdir = BUNDLES }: Bundling = {}): Promise<string> {
  const contexts = await open({ outdir });
  try {
    await Promise.all(contexts.map((each) => each.rebuild()));
  } finally {
    await Promise.all(contexts.map((each) => each.dispose()));
  }
  return outdir;
}

/** Bundles that can be made again for a fraction of the first time's work. */
export interface Bundles {
  /** Bundles what changed; a source that does not compile is told to `onError` and leaves the bundles as they were. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles once and stays ready to do it again. Only bundles whose content changed are written. A function file added
 * later needs a restart, as its route and rights do. Throws where a source does not compile the first time.
 */
export async function openBundles(bundling: Bundling = {}): Promise<Bundles> {
  const contexts = await open(bundling);
  const rebuild = () => Promise.all(contexts.map((each) => each.rebuild()));
  await rebuild();
  return {
    rebuild: async () => {
      await rebuild().catch(() => {});
    },
    close: async () => {
      await Promise.all(contexts.map((each) => each.dispose()));
    },
  };
}

function open(bundling: Bundling): Promise<BuildContext[]> {
  return Promise.all(PROGRAMS.map((programs) => context(options(programs, bundling))));
}

function options({ target, entries }: Programs, bundling: Bundling): BuildOptions {
  const outdir = bundling.outdir ?? BUNDLES;
  return {
    absWorkingDir: ROOT,
    entryPoints: entries(),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    minify: true,
    legalComments: 'none',
    // The ES modules of a dual package shake; its CommonJS half would be taken whole.
    mainFields: ['module', 'main'],
    metafile: true,
    write: false,
    logLevel: 'silent',
    plugins: [absentClients, apart, writeChanged(outdir, `meta-${target}.json`, bundling)],
  };
}

/**
 * aws-lambda-stream has connectors to services that we do not use, and their clients are not installed. In the bundle such
 * a client is a class that says so when somebody makes one.
 */
const absentClients: Plugin = {
  name: 'absent-clients',
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /^@aws-sdk\// }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === absentClients || !/node_modules.(aws-lambda-stream|aws-kms-ee)\b/.test(importer))
        return undefined;
      const { errors, ...found } = await find(path, { importer, kind, resolveDir, pluginData: absentClients });
      return errors.length === 0 ? found : { path, namespace: 'absent' };
    });
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get: () => class { constructor() { throw new Error('${path} is not in this bundle'); } } });`,
    }));
  },
};

const apart: Plugin = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`/${APART}\\.ts$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${APART}.mjs`, external: true } : undefined,
    );
  },
};

/** The files to write: what stands apart goes beside each bundle that asks for it. */
function withApart(files: readonly Pick<OutputFile, 'path' | 'text'>[]): Pick<OutputFile, 'path' | 'text'>[] {
  const [shared] = files.filter(({ path }) => basename(path) === `${APART}.mjs`);
  if (!shared) return [...files];
  const { text } = shared;
  const bundles = files.filter((file) => file !== shared);
  const asking = bundles.filter((file) => file.text.includes(`./${APART}.mjs`));
  return [...bundles, ...asking.map(({ path }) => ({ path: join(dirname(path), `${APART}.mjs`), text }))];
}

/** A CommonJS dependency asks for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);\n";

/** Writes what changed and nothing else: assets keep their hashes, and a watcher learns which functions to reload. */
function writeChanged(outdir: string, metafile: string, { onChange, onError }: Bundling): Plugin {
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
          withApart(outputFiles).map(async ({ path, text }) => {
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

/** `<group>/<name>` of a function's bundle, or undefined for another file. */
export function functionOf(bundles: string, file: string): string | undefined {
  const [kind, group, name] = relative(bundles, file).split(/[\\/]/);
  return kind === 'functions' && group && name ? `${group}/${name}` : undefined;
}
