/**
 * Starts an application whose start command needs a shell, or whose variables include Node settings that must be set before Node starts.
 * Runs after environment.ts, so that the command has the application's variables. The command's output passes through this process, which
 * limits it.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [command = ''] = process.argv.slice(2);

/** Directories with programs of packages: those of the working directory and its parents. */
const programs: string[] = [];
for (let at = process.cwd(); ; at = dirname(at)) {
  programs.push(join(at, 'node_modules', '.bin'));
  if (at === dirname(at)) break;
}

// Prepares the Node processes of the command in the same way as an application without a shell (preload.ts). Uses `--require`, because with
// any `--import`, Node loads the application's first file without the hooks that `--require` registered for its extension, such as ts-node's.
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
// 'close' instead of 'exit', because all output has arrived by then.
child.once('close', (code, signal) => {
  process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  process.exit();
});
