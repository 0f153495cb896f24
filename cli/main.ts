import { EXIT } from './command.ts';
import { commands } from './commands/commands.ts';
import { run } from './run.ts';

// A reader such as `head` may leave early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const interrupted = new AbortController();
const interrupt = () => {
  interrupted.abort();
  // What does not listen to the signal ends all the same.
  setTimeout(() => process.exit(EXIT.interrupted), 500).unref();
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);

process.exitCode = await run(commands, process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdin: process.stdin,
  stderr: process.stderr,
  signal: interrupted.signal,
  interrupt,
  isTerminal: process.stdout.isTTY === true,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
