/**
 * Starts an application whose start command needs a shell, or Node options or variables that take effect before its
 * variables are opened. Runs after environment.ts, so that the command sees the application's variables; its output passes through this
 * process, which limits it.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [command = ''] = process.argv.slice(2);

/** The programs of packages, of this directory and the ones above. */
const programs: string[] = [];
for (let at = process.cwd(); ; at = dirname(at)) {
  programs.push(join(at, 'node_modules', '.bin'));
  if (at === dirname(at)) break;
}

// The command's own processes of Node serve as an application without a shell does (preload.ts). Required, not imported: with any
// `--import`, Node loads the application's first file without what `--require` registered for its extension, as ts-node does.
const { NODE_OPTIONS = '' } = process.env;
const preload = fileURLToPath(new URL('./preload.cjs', import.meta.url));

const child = spawn('sh', ['-c', command], {
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    PATH: [...programs, process.env.PATH].join(delimiter),
    NODE_OPTIONS: `${NODE_OPTIONS} --require=${JSON.stringify(preload)}`.trim(),
  },
});
child.stdout.on('data', (chunk: Buffer) => process.stdout.write(chunk));
child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(`The start command could not be run: ${error.message}`);
  process.exitCode = 1;
});
// 'close' instead of 'exit': the last output has arrived by then.
child.once('close', (code, signal) => {
  process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  process.exit();
});
