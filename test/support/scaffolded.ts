import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** Entries that a clone does not have. `node_modules` is linked instead. */
const LEFT_OUT = /^(?:\.git|\.local|cdk\.out|coverage|dist)$|(?:^|\/)node_modules$/;

/** One of each kind, and the variants that take another way through the repository. */
export const SCAFFOLDS = [
  ['endpoint', 'getGadget', '--area', 'apps'],
  ['endpoint', 'listGadgets', '--area', 'apps'],
  ['endpoint', 'createGadget', '--area', 'dns'],
  ['endpoint', 'updateGadget', '--area', 'billing'],
  ['endpoint', 'deleteGadget', '--area', 'webhooks'],
  ['endpoint', 'restartGadget', '--area', 'hosting', '--dashboard'],
  ['entity', 'Gadget', '--area', 'apps'],
  ['rule', 'startGadget', '--area', 'apps', '--entity', 'Gadget'],
  ['rule', 'countGadget', '--area', 'ai', '--entity', 'App'],
  ['workflow', 'makeGadget', '--area', 'databases'],
];

/** A command's exit code, and what it wrote to both streams. */
interface Ended {
  code: number | null;
  output: string;
}

/** A copy of the repository in which `npm run new` may write. */
export interface RepositoryCopy {
  /** Runs a command in the copy. */
  run(command: string, ...args: string[]): Promise<Ended>;
  /** Runs `npm run new` and returns the paths of the files that it wrote. @throws Error with its output when it fails */
  scaffold(...args: string[]): Promise<string[]>;
  remove(): void;
}

/** Copies the repository, without what is installed or built. */
export function copyRepository(): RepositoryCopy {
  const copy = mkdtempSync(join(tmpdir(), 'scaffold-'));
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(ROOT, path)) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
  const run = async (command: string, ...args: string[]): Promise<Ended> => {
    // Nothing of this run of vitest is for the one inside.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|VITE_|NODE_ENV$|TEST$)/.test(name));
    const child = spawn(command, args, {
      cwd: copy,
      env: {
        ...Object.fromEntries(inherited),
        PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  };
  return {
    run,
    scaffold: async (...args) => {
      const { code, output } = await run('node', 'scripts/new.ts', ...args);
      if (code !== 0) throw new Error(output);
      return [...output.matchAll(/^ {2}([\w./-]+\.\w+)$/gm)].map(([, path = '']) => path);
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
