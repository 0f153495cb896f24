import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

/** The result of a command line. */
export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A command line that goes on until it is ended. */
export interface Running {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

/** The command line, packed and installed as its users install it, with settings of its own. */
export interface InstalledCli {
  folder: string;
  /** The folder of the program. */
  bin: string;
  start(args: readonly string[], options?: CliOptions): Running;
  run(args: readonly string[], options?: CliOptions): Promise<Ended>;
  remove(): void;
}

interface CliOptions {
  cwd?: string;
  input?: string;
  env?: Record<string, string>;
}

/** Packs `cli/` and installs it with `npm install --global` below a temporary folder. */
export async function installCli(): Promise<InstalledCli> {
  const folder = mkdtempSync(join(tmpdir(), 'hosting-cli-'));
  const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: ROOT });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'cli/package.json'), 'utf8')) as { version: string };
  await npm('pack', './cli', '--silent', '--pack-destination', folder);
  const file = join(folder, `hosting-platform-cli-${version}.tgz`);
  await npm('install', '--global', '--prefix', folder, '--offline', '--no-audit', '--no-fund', file);
  const bin = join(folder, 'bin');

  function start(args: readonly string[], { cwd = folder, input = '', env = {} }: CliOptions = {}): Running {
    // Nothing of the caller's own settings; a proxy is not asked for this machine.
    const environment = Object.entries(process.env).filter(([name]) => !/^HOSTING_|_proxy$/i.test(name));
    const child = spawn(join(bin, 'hosting'), args, {
      cwd,
      env: {
        ...Object.fromEntries(environment),
        PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
        XDG_CONFIG_HOME: join(folder, 'config'),
        ...env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    child.stdin.end(input);
    const ended = new Promise<Ended>((done, failed) => {
      child.on('error', failed);
      child.on('close', (exitCode) => done({ exitCode, ...output }));
    });
    return { child, output, ended };
  }

  return {
    folder,
    bin,
    start,
    run: (args, options) => start(args, options).ended,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
