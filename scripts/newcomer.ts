/**
 * Measures the path of a newcomer: from `git clone` of this repository to a deployed public starter, with the command line.
 *
 *     node scripts/newcomer.ts [--repository <url>] [--starter <url>] [--generate]
 *
 * Runs the printed commands in a temporary folder, and fails if there are more than twelve or if one of them fails. With `--generate`,
 * for machines that reach npm but no Git host, express-generator creates the starter, which is served as
 * https://git.localhost/starter.git.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../local/processes/ports.ts';

const MAX_COMMANDS = 12;
const READY_TIMEOUT_MS = 300_000;

const { values } = parseArgs({
  options: {
    repository: { type: 'string', default: resolve(import.meta.dirname, '..') },
    starter: { type: 'string', default: 'https://github.com/heroku/node-js-getting-started.git' },
    generate: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
const port = await freePort();
const origins = join(folder, 'origins');

/** The newcomer's environment: npm's global installations and all settings go to the temporary folder. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|HOSTING_|GIT_)/i.test(name))),
  PORT: String(port),
  npm_config_prefix: join(folder, 'npm'),
  XDG_CONFIG_HOME: join(folder, 'config'),
  PATH: [join(folder, 'npm/bin'), process.env.PATH].join(delimiter),
  NO_PROXY: 'localhost,.localhost,127.0.0.1',
};

/** Generates the starter, in place of a Git host. The time for it does not count, because a newcomer does not do this. */
function generateStarter(): void {
  const starter = join(origins, 'starter.git');
  mkdirSync(starter, { recursive: true });
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: starter, env, stdio: 'ignore' });
  run('npx', '--yes', 'express-generator@4', '--no-view', '--force', '.');
  run('git', 'init', '--quiet', '--initial-branch=main');
  run('git', 'add', '--all');
  run(
    'git',
    '-c',
    'user.name=Starter',
    '-c',
    'user.email=starter@example.com',
    'commit',
    '--quiet',
    '--message=Starter',
  );
  const replaced = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: `url.${origins}/.insteadOf` };
  Object.assign(env, replaced, { GIT_CONFIG_VALUE_0: 'https://git.localhost/', LOCAL_GIT_ROOT: origins });
}

interface Step {
  command: string;
  /** The folder of the command, relative to the temporary one. */
  in: string;
  /** True for `npm start`, which is complete when it prints `ready` and keeps running. */
  isServer?: true;
}

const starter = values.generate ? 'https://git.localhost/starter.git' : values.starter;
const key = 'node -p "require(\'./.local/local.json\').accounts.demo.secretKey"';
const STEPS: readonly Step[] = [
  { in: '.', command: `git clone --quiet ${values.repository} platform` },
  { in: '.', command: 'cd platform' },
  { in: 'platform', command: 'npm ci' },
  { in: 'platform', command: 'npm start', isServer: true },
  { in: 'platform', command: 'npm install --global "$(npm pack ./cli --silent)"' },
  { in: 'platform', command: `${key} | hosting login --key --api http://localhost:${port}` },
  { in: '.', command: `git clone --quiet ${starter} starter` },
  { in: '.', command: 'cd starter' },
  { in: 'starter', command: 'hosting deploy --yes' },
  { in: 'starter', command: 'curl --fail --silent "$(hosting open --print)"' },
];

let server: ChildProcess | undefined;

/** Runs a command to its end, or until a server is ready. @returns its output */
function run({ command, in: cwd, isServer }: Step): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn('bash', ['-c', command], { cwd: join(folder, cwd), env, detached: isServer === true });
    if (isServer) server = child;
    let output = '';
    const timer = isServer && setTimeout(() => failed(new Error(`not ready:\n${output}`)), READY_TIMEOUT_MS);
    const read = (text: Buffer) => {
      output += text;
      if (!isServer || !/^ready /m.test(output)) return;
      clearTimeout(timer || undefined);
      done(output);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', failed);
    child.once('exit', (code) => {
      clearTimeout(timer || undefined);
      if (code === 0) done(output);
      else failed(new Error(`${command} ended with ${code}:\n${output}`));
    });
  });
}

try {
  if (values.generate) generateStarter();
  const rows: string[] = [];
  let total = 0;
  let page = '';
  for (const [index, step] of STEPS.entries()) {
    const startedAt = performance.now();
    page = await run(step);
    const seconds = (performance.now() - startedAt) / 1000;
    total += seconds;
    rows.push(
      `| ${index + 1} | \`${step.command.replace(values.repository, '<this repository>')}\` | ${seconds.toFixed(1)} s |`,
    );
    console.error(rows.at(-1));
  }
  if (!/<html|<h1/i.test(page)) throw new Error(`the starter does not answer with a page:\n${page.slice(0, 500)}`);
  console.log(
    ['| | command | time |', '| --- | --- | --- |', ...rows, `| | together | ${total.toFixed(0)} s |`].join('\n'),
  );
  if (STEPS.length > MAX_COMMANDS)
    throw new Error(`${STEPS.length} commands; a newcomer needs at most ${MAX_COMMANDS}`);
} finally {
  if (server?.pid !== undefined && server.exitCode === null) {
    const exited = new Promise((done) => server?.once('exit', done));
    process.kill(-server.pid, 'SIGTERM');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}
