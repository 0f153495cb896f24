import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test, vi } from 'vitest';
import { verifyWebhook, type WebhookEvent } from '../client/index.ts';
import { LOOPBACK_CALLBACKS } from '../contract/accounts/session.ts';
import { folder, hosting, hostingAt, withFolder } from '../test/support/command-line.ts';
import type { Command } from './command.ts';
import { commands } from './commands/commands.ts';
import { headersOf } from './forward.ts';
import { PORTS } from './login/callback.ts';
import { Output, printable } from './output.ts';
import { reference } from './reference.ts';
import { nameOf, readRepository, remoteKey, toRepoUrl } from './repository.ts';
import { parseApi, Settings } from './settings/settings.ts';
import { candidates } from './shell/completion.ts';

withFolder();

/** A terminal whose user types. */
function newTerminal() {
  const controller = new AbortController();
  const stdin = new PassThrough();
  const stderr = new PassThrough();
  const shown = { text: '', isRaw: false };
  stderr.setEncoding('utf8').on('data', (text) => {
    shown.text += text;
  });
  const setRawMode = (isRaw: boolean) => {
    shown.isRaw = isRaw;
  };
  return {
    shown,
    interrupt: () => controller.abort(),
    /** Types when the screen ends with a prompt. */
    async type(prompt: string, keys: string) {
      // Escape sequences that place the cursor follow a prompt.
      await vi.waitFor(() => expect(printable(shown.text).trimEnd()).toMatch(new RegExp(`${prompt}$`)), 60_000);
      shown.text = '';
      stdin.write(keys);
    },
    surroundings: {
      stdin: Object.assign(stdin, { isTTY: true, setRawMode }) as never,
      stderr: Object.assign(stderr, { isTTY: true }),
      signal: controller.signal,
      interrupt: () => controller.abort(),
    },
  };
}
const [CTRL_C, CTRL_D] = ['\u0003', '\u0004'];

/** A command that prints what it was given. */
const echo = (more: Partial<Command> = {}): Command => ({
  name: 'echo',
  summary: 'Print the arguments',
  arguments: [
    { name: 'first', description: 'The first' },
    { name: 'others', description: 'More', optional: true, many: true },
  ],
  options: [
    { name: 'color', short: 'c', value: 'name', description: 'A color', choices: ['red', 'green'] },
    { name: 'loud', short: 'l', description: 'Louder' },
  ],
  run: async ({ argument, rest, option, flag, out }) =>
    out.result([argument('first'), rest, option('color'), flag('loud')], () => out.line('for people')),
  ...more,
});

test('output that cannot be written, and a current folder that was deleted, end with a sentence and exit code 1', () => {
  const program = join(import.meta.dirname, 'main.ts');
  const env = { ...process.env, HOSTING_KEY: 'sk_live_x', HOSTING_API: 'https://api.example.com' };
  const readOnly = openSync(program, 'r');
  const full = spawnSync(process.execPath, [program, '--help'], {
    stdio: ['ignore', readOnly, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(readOnly);
  expect([full.status, full.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: The output could not be written: EBADF.*\n$/),
  ]);
  const inDeleted = (command: string) => {
    const gone = mkdtempSync(join(folder, 'gone-'));
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const started = spawnSync('sh', ['-c', script, 'sh', gone, process.execPath, program, command], {
      env,
      encoding: 'utf8',
    });
    return [started.status, started.stderr || started.stdout];
  };
  expect(inDeleted('deploy')).toEqual([1, 'error: The current folder no longer exists. Change to another one.\n']);
  expect(inDeleted('--version'), 'what does not read it goes on').toEqual([0, 'development\n']);
});

test('docs/cli.md is generated from the commands (npm run cli:docs)', () => {
  expect(readFileSync(join(import.meta.dirname, '../docs/cli.md'), 'utf8')).toBe(reference(commands));
});

test('the sign-in returns to the addresses that the platform allows', () => {
  expect(PORTS.map((port) => `http://localhost:${port}/callback`)).toEqual(LOOPBACK_CALLBACKS);
});

test('every command has its own name, a summary and described options', () => {
  const names = commands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary, options = [], arguments: expected = [] } of commands) {
    expect(summary, name).toMatch(/^[A-Z].*[^.]$/);
    for (const each of [...options, ...expected]) expect(each.description, `${name} ${each.name}`).not.toBe('');
    expect(
      expected.slice(0, -1).every((each) => !each.many && !each.optional),
      name,
    ).toBe(true);
  }
});

describe('a command line', () => {
  test('is bound to arguments and options in any order', async () => {
    const { stdout, exitCode } = await hosting(['echo', '-l', 'a', 'b', '--color', 'red', '--json', 'c'], [echo()]);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, ['a', ['b', 'c'], 'red', true]]);
    expect((await hosting(['--api', 'https://x.example', 'echo', 'a'], [echo()])).stdout).toBe('for people\n');
    expect(await hosting(['-c', 'red', 'echo', 'a'], [echo()])).toMatchObject({ exitCode: 0, stdout: 'for people\n' });
  });

  test.each([
    [['echo'], 'needs first'],
    [['echo', 'a', '--size', '1'], "Unknown option '--size'"],
    [['nothing'], 'there is no command "nothing"'],
    [['--api', 'https://x.example', 'nothing'], 'there is no command "nothing"'],
    [['whoami', 'x'], 'takes no further argument: x'],
    [['whoami', '--api', 'http://api.example.com'], 'sent over https only'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
  ])('%j is not understood: exit code 2', async (argv, message) => {
    const { exitCode, stderr, stdout } = await hosting(argv, [...commands, echo()]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  test('without a key ends with exit code 3 and says how to sign in', async () => {
    const { exitCode, stderr } = await hosting(['whoami']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('Run hosting login');
  });

  test.each([
    [['whoami'], {}, 3, 'You are not signed in. Run hosting login --api'],
    [['logout'], {}, 3, 'You are not signed in'],
    [['login'], {}, 2, 'Which installation?'],
    [['whoami'], { HOSTING_KEY: 'sk_live_x' }, 2, 'Which installation?'],
  ])('%j where no installation is known, with %j, ends with exit code %i', async (argv, more, exitCode, message) => {
    const ended = await hosting(argv, commands, undefined, { HOSTING_API: '', ...more });
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
  });

  test.each([
    ['{"name": "shop",}', 1, 'package.json is not valid JSON'],
    ['null', 3, 'Run hosting login'],
  ])('reads a package.json of %s without a stack trace', async (text, exitCode, message) => {
    const cwd = mkdtempSync(join(folder, 'package-'));
    writeFileSync(join(cwd, 'package.json'), text);
    const ended = await hosting(['apps', 'create', 'Shop'], commands, undefined, {}, { cwd });
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringContaining(message) });
  });

  test('says why a file cannot be read', async () => {
    const key = { HOSTING_KEY: 'sk_live_x' };
    const ended = await hosting(['env', 'push', '.', '--app', 'app_1'], commands, undefined, key);
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EISDIR') });
  });

  test('refuses an empty question before a model is asked', async () => {
    const stdin = Object.assign(new PassThrough().end(), { isTTY: false }) as unknown as NodeJS.ReadStream;
    const ended = await hosting(['ai', 'chat'], commands, undefined, {}, { stdin });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('The question is empty') });
  });

  test('the name of a group runs its list, also with options, and its help shows its commands', async () => {
    expect((await hosting(['apps'])).exitCode).toBe(3);
    expect((await hosting(['env', '--app', 'my-shop'])).exitCode).toBe(3);
    const { exitCode, stdout } = await hosting(['apps', '--help']);
    expect(exitCode).toBe(0);
    for (const name of ['apps list', 'apps create <name>']) expect(stdout).toContain(name);
    expect(stdout).not.toContain('webhooks');
    expect((await hosting(['help', 'webhooks', 'listen'])).stdout).toContain('--forward <url>');
    expect((await hosting([])).stdout).toContain('completion <shell>');
  });

  test('untrusted text cannot control the terminal', () => {
    expect(printable('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2Jx\ty\r\u009b1A')).toBe('red x\ty');
    let written = '';
    const out = new Output({
      json: false,
      color: false,
      writeError: () => undefined,
      write: (text) => (written += text),
    });
    out.table(
      ['name', 'n'],
      [
        ['\u001b[2Ja', 1],
        ['long name', null],
      ],
      'none',
    );
    expect(written).toBe('NAME       N\na          1\nlong name  –\n');
  });

  test('that ends by a signal has exit code 130', async () => {
    const controller = new AbortController();
    const waiting = echo({
      run: async ({ signal }) => {
        controller.abort();
        signal.throwIfAborted();
      },
    });
    expect((await hosting(['echo', 'a'], [waiting], controller.signal)).exitCode).toBe(130);
  });
});

test.each<[string[], string[]]>([
  [['web'], ['webhooks']],
  [
    ['webhooks', 'li'],
    ['list', 'listen'],
  ],
  [['echo', '--c'], ['--color']],
  [['echo', '--color', 'g'], ['green']],
  [['echo', '-c', 'g'], ['green']],
  [['deploy', '--de'], ['--detach']],
  [
    ['--app', 'my-shop', 'dep'],
    ['deploy', 'deployments'],
  ],
])('completes %j with %j', (words, expected) => {
  expect(candidates([...commands, echo()], words)).toEqual(expected);
});

describe('a Git remote', () => {
  test.each([
    ['https://github.com/You/app.git', 'https://github.com/You/app.git'],
    ['https://user:token@GitHub.com/You/app', 'https://github.com/You/app'],
    ['git@github.com:You/app.git', 'git@github.com:You/app.git'],
    ['ssh://git@github.com:22/You/app.git', 'git@github.com:You/app.git'],
  ])('%s is the same repository in all its forms, without a token', (remote, expected) => {
    expect(remoteKey(remote)).toBe('github.com/You/app');
    expect(toRepoUrl(remote)).toBe(expected);
    expect(nameOf(expected)).toBe('app');
  });

  test.each(['/srv/app.git', '../app', 'file:///srv/app.git', 'ssh://git@example.com:2222/app.git'])(
    '%s cannot be deployed from',
    (remote) => {
      expect(toRepoUrl(remote)).toBeUndefined();
    },
  );

  test('is read with the branch, and with what is not pushed', async () => {
    const cwd = mkdtempSync(join(folder, 'repository-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd,
        stdio: 'pipe',
      });
    expect(await readRepository(cwd)).toBeUndefined();
    git('init', '--quiet', '--initial-branch=trunk');
    git('commit', '--quiet', '--allow-empty', '--message=one');
    git('remote', 'add', 'origin', 'https://example.com/you/app.git');
    git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
    git('branch', '--quiet', '--set-upstream-to=origin/trunk');
    git('commit', '--quiet', '--allow-empty', '--message=two');
    writeFileSync(join(cwd, 'new.txt'), '');
    git('config', 'url./srv/mirror/.insteadOf', 'https://example.com/');
    const expected = { url: 'https://example.com/you/app.git', branch: 'trunk', unpushed: 1, hasChanges: true };
    expect(await readRepository(cwd)).toEqual(expected);
    git('config', 'url.https://example.com/.insteadOf', 'ex:');
    git('remote', 'set-url', 'origin', 'ex:you/app.git');
    expect(await readRepository(cwd)).toEqual(expected);
  });
});

describe('settings', () => {
  test('are readable by their user only, and keep installations apart', () => {
    const settings = new Settings({ XDG_CONFIG_HOME: join(folder, 'own') });
    settings.update('https://a.example', { secretKey: 'sk_live_a' });
    settings.update('https://b.example', { secretKey: 'sk_live_b' });
    settings.update('https://a.example', { webhookSecret: 'whsec_x' });
    settings.use('https://a.example');
    expect(statSync(settings.file).mode & 0o777).toBe(0o600);
    expect(settings.of('https://a.example')).toEqual({ secretKey: 'sk_live_a', webhookSecret: 'whsec_x' });
    settings.forget('https://a.example');
    expect([settings.api, settings.of('https://a.example')]).toEqual([undefined, {}]);
    expect(settings.of('https://b.example')).toEqual({ secretKey: 'sk_live_b' });
  });

  test('keep the installation that commands use when another one is forgotten', async () => {
    const home = { XDG_CONFIG_HOME: join(folder, 'two') };
    const settings = new Settings(home);
    settings.update('https://a.example', { secretKey: 'sk_live_a' });
    settings.update('https://b.example', { secretKey: 'sk_live_b' });
    settings.use('https://a.example');
    const { exitCode } = await hosting(['logout', '--api', 'https://b.example'], commands, undefined, home);
    expect([exitCode, settings.api, settings.of('https://b.example')]).toEqual([0, 'https://a.example', {}]);
    settings.forget('https://a.example');
    expect(settings.api).toBeUndefined();
  });

  test('refuse an address to which a key must not be sent', () => {
    expect(parseApi('https://api.example.com/')).toBe('https://api.example.com');
    expect(parseApi('http://localhost:4000')).toBe('http://localhost:4000');
    expect(parseApi('http://localhost:4000/v1/')).toBe('http://localhost:4000');
    for (const bad of ['http://api.example.com', 'http://localhost.example.com', 'https://me@api.example.com', 'api'])
      expect(() => parseApi(bad), bad).toThrow();
  });
});

test('forwarded events verify like real deliveries, also with third-party libraries', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const event = { id: 'evt_1', type: 'ping', created: '2026-01-31T09:30:00.000Z', data: { webhookId: 'x' } };
  const body = JSON.stringify(event);
  const headers = headersOf(event as WebhookEvent, body, secret, new Date());
  const signature = headers['x-service-signature'] ?? '';
  expect(await verifyWebhook({ body, signature, secret })).toEqual(event);
  expect(new Stripe('sk_test_x').webhooks.constructEvent(body, signature, secret)).toMatchObject({ id: 'evt_1' });
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('logs continues after an empty page that has more', async () => {
  const line = { id: '1769851800000-1', at: '2026-01-31T09:30:00.000Z', text: 'printed' };
  const pages = [
    { data: [], has_more: true },
    { data: [line], has_more: true },
    { data: [], has_more: false },
  ];
  const argv = ['logs', '--app', 'shop', '--json'];
  const { exitCode, stdout } = await hostingAt((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const apps = { data: [{ id: 'app_1', name: 'shop', slug: 'shop', status: 'RUNNING' }], has_more: false };
    const answer = url.pathname.endsWith('/logs') ? pages.shift() : apps;
    response.end(JSON.stringify(answer));
  }, argv);
  expect([exitCode, JSON.parse(stdout), pages]).toEqual([0, line, []]);
});

test('db list shows a limit only where the answer has one: an installation without limits has no access', async () => {
  const database = { id: 'db_1', name: 'main', status: 'AVAILABLE', applicationId: 'app_1', variables: ['MAIN_URL'] };
  const databases = [undefined, 'ALL', 'OWNER', 'NONE'].map((access) => ({ ...database, access }));
  const { stdout } = await hostingAt(
    (_, response) => response.end(JSON.stringify({ data: databases, has_more: false })),
    ['db', 'list'],
  );
  expect(stdout.match(/AVAILABLE(, limit reached)?/g)).toEqual([
    'AVAILABLE',
    'AVAILABLE',
    'AVAILABLE, limit reached',
    'AVAILABLE, limit reached',
  ]);
});

test('deploy prints each line of a log of several pages once', async () => {
  const pages = [
    { data: [{ n: 1, text: '==> Clone' }], has_more: true },
    { data: [{ n: 2, text: 'done' }], has_more: true },
    { data: [], has_more: true },
  ];
  const behind: (string | null)[] = [];
  const ended = { id: 'dep_1', applicationId: 'app_1', commitSha: '', status: 'SUCCEEDED', queue: null };
  const deployment = { ...ended, finishedAt: '2026-01-31T09:30:00.000Z' };
  const app = { id: 'app_1', name: 'shop', slug: 'shop', status: 'RUNNING', primaryDomain: 'shop.example.com' };
  const argv = ['deploy', '--app', 'shop', '--json'];
  const { exitCode, stderr } = await hostingAt(({ method, url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isLog = pathname.endsWith('/log');
    if (isLog) behind.push(searchParams.get('after'));
    const listed = { data: [pathname === '/v1/apps' ? app : deployment], has_more: false };
    const answer = isLog ? pages.shift() : method === 'POST' ? { data: deployment } : listed;
    response.end(JSON.stringify(answer));
  }, argv);
  expect([exitCode, behind]).toEqual([0, ['0', '1', '2']]);
  expect(stderr.match(/==> Clone|done/g)).toEqual(['==> Clone', 'done']);
});

test('webhooks listen survives connection failures without missing or repeating an event', async () => {
  const page = (ids: string[], cursor: string) => ({
    data: ids.map((id) => ({ id, type: 'ping', created: '2026-01-31T09:30:00.000Z', data: {} })),
    cursor,
    has_more: false,
  });
  // The retries of the client are used up before the connection is back.
  let failures = 4;
  const argv = ['webhooks', 'listen', '--json', '--count', '3'];
  const { exitCode, stdout, stderr } = await hostingAt((request, response) => {
    const after = new URL(request.url ?? '', 'http://localhost').searchParams.get('after');
    if (after === 'evc_2' && failures > 0) {
      failures -= 1;
      // Every other one in the middle of the body.
      if (failures % 2 === 0) response.destroy();
      else response.write('{"data": [', () => response.destroy());
      return;
    }
    const pages = { evc_1: page(['a'], 'evc_2'), evc_2: page(['b', 'c'], 'evc_4') };
    response.end(JSON.stringify(pages[after as keyof typeof pages] ?? page(['old'], 'evc_1')));
  }, argv);
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect([exitCode, ids, failures]).toEqual([0, ['a', 'b', 'c'], 0]);
  expect(stderr).toContain('Trying again');
});

describe('deploy while another deployment is in progress', () => {
  const RUNNING = { status: 'RUNNING', trigger: 'API', looks: 2 };
  const IN_LINE = { status: 'QUEUED', trigger: 'PUSH', queue: { position: 1, reason: 'Waiting' }, looks: 2 };
  type Fake = Partial<typeof IN_LINE> & { id: string; looks: number };

  /**
   * Runs `hosting deploy` against a platform with these deployments, newest first. One has ended when it is listed as often as
   * `looks` says; `onEnd` may start others then, before the command can.
   */
  async function deploy(given: Fake[], onEnd: (ended: Fake) => Fake[] = () => [], ...more: string[]) {
    let deployments = given;
    const created: string[] = [];
    let refused = 0;
    const isOver = ({ looks }: Fake) => looks <= 0;
    const view = (each: Fake) => ({
      queue: null,
      ...each,
      applicationId: 'app_1',
      commitSha: '',
      ...(isOver(each) ? { status: 'SUCCEEDED', finishedAt: '2026-01-31T09:30:00.000Z' } : { finishedAt: null }),
    });
    const list = () => {
      for (const each of deployments.filter((one) => !isOver(one))) {
        each.looks -= 1;
        if (isOver(each)) deployments = [...onEnd(each), ...deployments];
      }
      return { data: deployments.map(view), has_more: false };
    };
    const create = () => {
      if (deployments.some((each) => !isOver(each))) {
        refused += 1;
        return { error: { message: 'A deployment is in progress.', code: 'conflict', status: 409 } };
      }
      created.push('dep_new');
      deployments = [{ id: 'dep_new', looks: 0 }, ...deployments];
      return { data: view({ id: 'dep_new', looks: 1 }) };
    };
    const app = { id: 'app_1', name: 'shop', slug: 'shop', status: 'RUNNING', repoUrl: 'https://example.com/shop.git' };
    const answer = (method: string, path: string) => {
      if (path === '/v1/apps') return { data: [{ ...app, primaryDomain: 'shop.example.com' }], has_more: false };
      if (path.endsWith('/log')) return { data: [], has_more: false };
      if (path.endsWith('/deployments')) return method === 'POST' ? create() : list();
      return { data: deployments.filter(({ id }) => path.endsWith(id)).map(view)[0] };
    };
    const argv = ['deploy', '--app', 'shop', '--json', ...more];
    const ended = await hostingAt(({ method = '', url = '' }, response) => {
      const body = answer(method, new URL(url, 'http://localhost').pathname);
      if ('error' in body) response.statusCode = body.error.status;
      response.end(JSON.stringify(body));
    }, argv);
    return { ...ended, created, refused, id: ended.stdout && JSON.parse(ended.stdout).id };
  }

  test('waits for its end, then starts one and reports that', async () => {
    const { exitCode, id, created, stderr } = await deploy([{ id: 'dep_1', ...RUNNING }]);
    expect([exitCode, id, created]).toEqual([0, 'dep_new', ['dep_new']]);
    expect(stderr).toContain('Deployment dep_1 is in progress. A new one starts when it has finished.');
    expect(stderr).toContain('Deployment dep_1 has finished: SUCCEEDED.');
  });

  test('with --detach returns when its own has started', async () => {
    const { exitCode, id } = await deploy([{ id: 'dep_1', ...RUNNING }], undefined, '--detach');
    expect([exitCode, id]).toEqual([0, 'dep_new']);
  });

  test('follows a queued deployment, which has not cloned the repository yet', async () => {
    const { exitCode, id, created, refused, stderr } = await deploy([
      { id: 'dep_2', ...IN_LINE },
      { id: 'dep_1', ...RUNNING },
    ]);
    expect([exitCode, id, created, refused]).toEqual([0, 'dep_2', [], 1]);
    expect(stderr).toContain('Deployment dep_2 already deploys the newest commit');
  });

  test('follows a deployment that another job started later, so that two jobs do not wait for each other', async () => {
    const other = { id: 'dep_2', ...RUNNING };
    const onEnd = ({ id }: Fake) => (id === 'dep_1' ? [other] : []);
    const { exitCode, id, created, refused } = await deploy([{ id: 'dep_1', ...RUNNING }], onEnd);
    expect([exitCode, id, created, refused]).toEqual([0, 'dep_2', [], 2]);
  });

  test('does not mistake another conflict for a running deployment', async () => {
    const app = { id: 'app_1', name: 'shop', slug: 'shop', status: 'SUSPENDED' };
    const refusal = { error: { message: 'This application is suspended.', code: 'conflict', status: 409 } };
    const { exitCode, stderr } = await hostingAt(
      ({ method, url = '' }, response) => {
        if (method === 'POST') response.statusCode = 409;
        const list = { data: url.includes('/deployments') ? [] : [app], has_more: false };
        response.end(JSON.stringify(method === 'POST' ? refusal : list));
      },
      ['deploy', '--app', 'shop'],
    );
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('error: This application is suspended.')]);
  });

  test('gives up with exit code 1 when other deployments always come first', async () => {
    const onEnd = ({ id }: Fake) => [{ id: `${id}x`, ...RUNNING, trigger: 'ROLLBACK' }];
    const { exitCode, created, refused, stderr } = await deploy([{ id: 'dep_1', ...RUNNING }], onEnd);
    expect([exitCode, created, refused]).toEqual([1, [], 4]);
    expect(stderr).toContain('Nothing was deployed: other deployments came first 3 times.');
  });
});

describe('at a prompt', () => {
  const asking = echo({
    run: async ({ confirm, out }) => {
      await confirm('Go on?');
      out.line('done');
    },
  });

  test.each([
    ['y', 'y\r', 0, 'done\n', ''],
    ['n', 'n\r', 1, '', 'error: Nothing was done.\n'],
    ['Ctrl-D', CTRL_D, 1, '', 'error: Nothing was done.\n'],
    ['Ctrl-C', CTRL_C, 130, '', ''],
  ])('yes or no, %s is understood', async (_, keys, ...expected) => {
    const { surroundings, type, shown } = newTerminal();
    const running = hosting(['echo', 'a'], [asking], surroundings.signal, {}, surroundings);
    await type('Go on\\? \\[y/N\\]', keys);
    const { exitCode, stdout, stderr } = await running;
    expect([exitCode, stdout, stderr]).toEqual(expected);
    expect([shown.isRaw, shown.text.endsWith('\n')]).toEqual([false, true]);
  });

  /** Streams a reply to the first question, and leaves that to the second one open. */
  const model = (): RequestListener => {
    let calls = 0;
    return (_, response) => {
      calls += 1;
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hello' } }] })}\n\n`);
      if (calls === 1) response.end('data: [DONE]\n\n');
    };
  };
  const chat = ['ai', 'chat', '--model', 'openai/gpt-4o-mini'];

  test.each([
    ['Ctrl-D ends the chat', CTRL_D, 0],
    ['an empty line ends the chat', '\r', 0],
    ['Ctrl-C interrupts it', CTRL_C, 130],
  ])('of a chat %s', async (_, keys, expected) => {
    const { surroundings, type } = newTerminal();
    const running = hostingAt(model(), chat, surroundings);
    await type('>', 'Hi\r');
    await type('>', keys);
    expect(await running).toMatchObject({ exitCode: expected, stdout: 'hello\n' });
  });

  test('of a chat, its reply is stopped by the signal of Ctrl-C', async () => {
    const { surroundings, type, shown, interrupt } = newTerminal();
    let stdout = '';
    const write = (text: string) => {
      stdout += text;
    };
    const running = hostingAt(model(), chat, { ...surroundings, write });
    await type('>', 'Hi\r');
    await type('>', 'Again\r');
    await vi.waitFor(() => expect(stdout).toBe('hello\nhello'), 60_000);
    // The terminal sends the signal only where its keys are not read one by one.
    expect(shown.isRaw).toBe(false);
    interrupt();
    expect((await running).exitCode).toBe(130);
  });
});
