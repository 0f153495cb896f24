import { CommandError, EXIT } from './command.ts';
import { commands } from './commands/commands.ts';
import { run } from './run.ts';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`error: The output could not be written: ${error.message}.\n`);
  process.exit(EXIT.failed);
});

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new CommandError('The current folder no longer exists. Change to another one.');
  }
}

const interrupted = new AbortController();
const interrupt = () => {
  interrupted.abort();
  // Ends work that does not listen to the signal.
  setTimeout(() => process.exit(EXIT.interrupted), 500).unref();
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);

process.exitCode = await run(commands, process.argv.slice(2), {
  get cwd() {
    return currentFolder();
  },
  env: process.env,
  stdin: process.stdin,
  stderr: process.stderr,
  signal: interrupted.signal,
  interrupt,
  isTerminal: process.stdout.isTTY === true,
  write: (text) => process.stdout.write(text),
  writeError: (text) => process.stderr.write(text),
});
