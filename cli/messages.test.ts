import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { folder, hosting, hostingAt, withFolder } from '../test/support/command-line.ts';
import { parseApi, Settings } from './settings/settings.ts';

withFolder();

/** Stdin with a text, as of a pipe. */
const piped = (text: string) =>
  Object.assign(new PassThrough().end(text), { isTTY: false }) as unknown as NodeJS.ReadStream;

describe('a key', () => {
  /** A platform that knows one key. */
  const knowing =
    (key: string): RequestListener =>
    ({ headers }, response) => {
      const isKnown = headers.authorization === `Bearer ${key}`;
      response.statusCode = isKnown ? 200 : 401;
      const error = { message: 'This API key is unknown.', code: 'unauthorized', status: 401 };
      response.end(
        JSON.stringify(isKnown ? { data: { id: 'acc_1', email: 'me@example.com', name: 'Me' } } : { error }),
      );
    };
  const GOOD = 'sk_live_good';

  test('of HOSTING_KEY that is refused is named: signing in would not replace it', async () => {
    for (const command of [['whoami'], ['login', '--key']]) {
      const { exitCode, stderr } = await hostingAt(knowing(GOOD), command);
      expect([exitCode, stderr]).toEqual([
        3,
        expect.stringContaining('HOSTING_KEY is invalid or no longer valid. Unset or replace'),
      ]);
      expect(stderr).not.toContain('hosting login');
    }
  });

  test('is stored from stdin, or from HOSTING_KEY without waiting for the end of stdin', async () => {
    const open = Object.assign(new PassThrough(), { isTTY: false }) as unknown as NodeJS.ReadStream;
    for (const [key, stdin] of [
      ['', piped(`${GOOD}\n`)],
      [GOOD, open],
    ] as const) {
      const env = { XDG_CONFIG_HOME: join(folder, key || 'piped'), HOSTING_KEY: key };
      const ended = await hostingAt(knowing(GOOD), ['login', '--key'], { env, stdin });
      expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
      const settings = new Settings(env);
      expect(settings.of(settings.api ?? '')).toEqual({ secretKey: GOOD });
    }
  });

  test.each(['sk_live_…', 'sk_live_a\nb'])('that was truncated is refused without a request: %j', async (key) => {
    const answer: RequestListener = (_, response) => response.destroy();
    const run = (...argv: string[]) => hostingAt(answer, argv, { env: { HOSTING_KEY: key } });
    expect(await run('whoami')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('HOSTING_KEY is invalid'),
    });
    expect(await run('login', '--key')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not a secret key'),
    });
  });

  test('that is stored is not hidden by an empty HOSTING_KEY, nor an address by an empty HOSTING_API', async () => {
    const env = { XDG_CONFIG_HOME: join(folder, 'empty'), HOSTING_KEY: '', HOSTING_API: '' };
    new Settings(env).update('http://localhost:9', { secretKey: GOOD });
    new Settings(env).use('http://localhost:9');
    expect(await hosting(['whoami'], undefined, undefined, env)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('http://localhost:9 could not be reached'),
    });
  });
});

test('an unused proxy is mentioned after a failed connection, also of a sign-in', async () => {
  const HTTPS_PROXY = 'http://proxy.example.com:3128';
  const stderrOf = async (command: string, env: object) => {
    const argv = [command, '--api', 'http://localhost:9'];
    const ended = await hosting(argv, undefined, undefined, { HOSTING_KEY: 'sk_live_a', ...env });
    expect(ended.stderr).toContain('http://localhost:9 could not be reached.');
    return ended.stderr;
  };
  const advice = 'Node uses HTTPS_PROXY only with NODE_USE_ENV_PROXY=1';
  for (const command of ['whoami', 'login']) expect(await stderrOf(command, { HTTPS_PROXY })).toContain(advice);
  for (const env of [{}, { HTTPS_PROXY, NODE_USE_ENV_PROXY: '1' }])
    expect(await stderrOf('login', env)).not.toContain(advice);
});

test.each(['localhost:4000', 'api.example.com:443', 'api.example.com', 'ftp://api.example.com'])(
  '%s is no address of an installation',
  (text) => {
    expect(() => parseApi(text)).toThrow(`${text} is not an address such as https://api.example.com.`);
  },
);

describe('the remote of a folder', () => {
  function clone(...remotes: [name: string, url: string][]) {
    const cwd = mkdtempSync(join(folder, 'clone-'));
    const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
    git('init', '--quiet');
    for (const remote of remotes) git('remote', 'add', ...remote);
    return cwd;
  }
  const none: RequestListener = (_, response) => response.end('{"data": [], "has_more": false}');

  test.each([
    'git@work:me/shop.git',
    'ssh://git@git.example.com:2222/me/shop.git',
    '/srv/git/shop.git',
    '../x',
    'C:\\repos\\app.git',
  ])('is named where the platform cannot clone it: %s', async (url) => {
    for (const command of ['deploy', 'logs']) {
      const { exitCode, stderr } = await hostingAt(none, [command], { cwd: clone(['origin', url]) });
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(`The remote ${url} is not one that the platform`),
      ]);
      expect(stderr).toContain('--app');
    }
  });

  test('is shown without the token that it holds', async () => {
    const cwd = clone(['origin', 'ssh://me:secret@git.example.com:2222/me/shop.git']);
    const { stderr } = await hostingAt(none, ['logs'], { cwd });
    expect(stderr).toContain('The remote ssh://git.example.com:2222/me/shop.git is not one');
  });

  test('is the only one, also where it is not called origin', async () => {
    const cwd = clone(['upstream', 'https://example.com/me/shop.git']);
    expect((await hostingAt(none, ['logs'], { cwd })).stderr).toContain(
      'deployed from https://example.com/me/shop.git',
    );
  });

  test('is asked for where there are several', async () => {
    const cwd = clone(['a', 'https://example.com/a.git'], ['b', 'https://example.com/b.git']);
    expect((await hostingAt(none, ['logs'], { cwd })).stderr).toContain('Which remote, a or b?');
  });
});

describe('variables', () => {
  const SHOP = { id: 'app_1', name: 'Shop', slug: 'shop', status: 'RUNNING' };
  /** A platform with an application whose variables have these names. */
  function having(...keys: string[]) {
    const sent: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (body) sent.push(JSON.parse(body));
        const isEnv = request.url?.includes('/env');
        response.end(JSON.stringify(isEnv ? { data: { keys } } : { data: [SHOP], has_more: false }));
      });
    };
    return { sent, listener };
  }

  test('of a file with a byte order mark are pushed and pulled by their names', async () => {
    const cwd = mkdtempSync(join(folder, 'bom-'));
    writeFileSync(join(cwd, 'bom.env'), '\uFEFFSECRET=1\n');
    const { listener, sent } = having('SECRET');
    const run = (command: string) => hostingAt(listener, ['env', command, 'bom.env', '--app', 'shop'], { cwd });
    expect(await run('push')).toMatchObject({ exitCode: 0 });
    expect(sent).toEqual([{ vars: [{ key: 'SECRET', value: '1' }] }]);
    expect((await run('pull')).stdout).toContain('0 of 1 names added');
    expect(readFileSync(join(cwd, 'bom.env'), 'utf8')).toBe('\uFEFFSECRET=1\n');
  });

  test('of a file in UTF-16, which PowerShell writes, are pushed', async () => {
    const cwd = mkdtempSync(join(folder, 'utf-16-'));
    writeFileSync(join(cwd, '.env'), '\uFEFFSECRET=é→\r\n', 'utf16le');
    const { listener, sent } = having('SECRET');
    await hostingAt(listener, ['env', 'push', '--app', 'shop'], { cwd });
    expect(sent).toEqual([{ vars: [{ key: 'SECRET', value: 'é→' }] }]);
  });

  test('of a file that is not UTF-8 are not pushed: a wrong character in a secret would not be seen', async () => {
    const cwd = mkdtempSync(join(folder, 'latin-1-'));
    writeFileSync(join(cwd, '.env'), 'SECRET=é\n', 'latin1');
    const { listener, sent } = having('SECRET');
    const ended = await hostingAt(listener, ['env', 'push', '--app', 'shop', '--yes'], { cwd });
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('.env is not a text in UTF-8.') });
    expect(sent).toEqual([]);
  });

  test('without a value do not take the next line as theirs', async () => {
    const cwd = mkdtempSync(join(folder, 'empty-'));
    writeFileSync(join(cwd, '.env'), 'PUBLIC= \r\nSECRET="say \\"hi\\""\nHASH=a#b\nexport\tLAST=1');
    const { listener, sent } = having('SECRET');
    await hostingAt(listener, ['env', 'push', '--app', 'shop'], { cwd });
    const vars = Object.entries({ PUBLIC: '', SECRET: 'say "hi"', HASH: 'a#b', LAST: '1' });
    expect(sent).toEqual([{ vars: vars.map(([key, value]) => ({ key, value })) }]);
  });

  test('of lines that cannot be read are named, and pushed without them only where the user says so', async () => {
    const cwd = mkdtempSync(join(folder, 'unread-'));
    writeFileSync(join(cwd, '.env'), 'SECRET=1\nKEY: two\n');
    const { listener, sent } = having('SECRET');
    const ended = await hostingAt(listener, ['env', 'push', '--app', 'shop'], { cwd });
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('.env: Line 2 could not be read') });
    expect(ended.stderr).not.toContain('two');
    expect(sent).toEqual([]);
    await hostingAt(listener, ['env', 'push', '--app', 'shop', '--yes'], { cwd });
    expect(sent).toEqual([{ vars: [{ key: 'SECRET', value: '1' }] }]);
  });

  test('that there are not cannot be unset: none is removed', async () => {
    const { listener, sent } = having('SECRET');
    const ended = await hostingAt(listener, ['env', 'unset', 'SECRET', 'SECRTE', '--app', 'shop']);
    expect(ended).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('Shop has no variable SECRTE.'),
    });
    expect(sent).toEqual([]);
    expect(await hostingAt(listener, ['env', 'unset', 'SECRET', '--app', 'shop'])).toMatchObject({ exitCode: 0 });
    expect(sent).toEqual([{ remove: ['SECRET'] }]);
  });
});

test.each([
  ['set', ['env', 'set', 'OK=1', 'PORT=3', '--app', 'shop']],
  ['vars', ['env', 'push', 'two.env', '--app', 'shop']],
])('a refused variable is named, not its place in the request (%s)', async (field, argv) => {
  const cwd = mkdtempSync(join(folder, 'two-'));
  writeFileSync(join(cwd, 'two.env'), 'OK=1\nPORT=3\n');
  const answer: RequestListener = ({ method }, response) => {
    if (method !== 'GET') response.statusCode = 400;
    const refusal = { message: `${field}.1.key: is reserved for the platform`, code: 'invalid_request', status: 400 };
    const apps = { data: [{ id: 'app_1', name: 'Shop', slug: 'shop', status: 'RUNNING' }], has_more: false };
    const found = response.req.url?.endsWith('/env') ? { data: { keys: [] } } : apps;
    response.end(JSON.stringify(method === 'GET' ? found : { error: refusal }));
  };
  const { exitCode, stderr } = await hostingAt(answer, argv, { cwd });
  expect([exitCode, stderr]).toEqual([1, 'error: PORT: is reserved for the platform\n']);
});

test('a database that is being created is reported before a password is requested', async () => {
  const data = [{ id: 'db_1', name: 'main', status: 'PROVISIONING', variables: [] }];
  const answer: RequestListener = (_, response) => response.end(JSON.stringify({ data, has_more: false }));
  const ended = await hostingAt(answer, ['db', 'psql', 'main']);
  expect(ended).toMatchObject({ exitCode: 1, stderr: 'error: main is still being created. Try again in a minute.\n' });
});

test('a new database is announced with its own variable, because DATABASE_URL is that of the oldest one', async () => {
  const data = { id: 'db_2', name: 'stats', status: 'PROVISIONING', variables: ['DATABASE_STATS_URL'] };
  const apps = [{ id: 'app_1', name: 'Shop', slug: 'shop', status: 'RUNNING' }];
  const answer: RequestListener = ({ method }, response) =>
    response.end(JSON.stringify(method === 'GET' ? { data: apps, has_more: false } : { data }));
  const { stdout } = await hostingAt(answer, ['db', 'create', 'stats', '--app', 'shop']);
  expect(stdout).toBe(
    'stats is being created. Shop receives its address as DATABASE_STATS_URL with the next deployment.\n',
  );
});

test('counts one variable in the singular', async () => {
  const cwd = mkdtempSync(join(folder, 'one-'));
  writeFileSync(join(cwd, '.env'), 'ONE=1\n');
  const apps = { data: [{ id: 'app_1', name: 'Shop', slug: 'shop', status: 'RUNNING' }], has_more: false };
  const answer: RequestListener = ({ method, url }, response) =>
    response.end(JSON.stringify(url?.endsWith('/env') ? { data: { keys: method === 'GET' ? [] : ['ONE'] } } : apps));
  const { stdout } = await hostingAt(answer, ['env', 'push', '--app', 'shop'], { cwd });
  expect(stdout).toBe('Shop now has 1 variable. It takes effect with the next deployment.\n');
});

test('webhooks listen refuses an unknown event type, which would never arrive', async () => {
  const key = { HOSTING_KEY: 'sk_live_x' };
  const argv = ['webhooks', 'listen', '--events', 'ping,deployment.suceeded'];
  const ended = await hosting(argv, undefined, AbortSignal.timeout(60_000), key);
  expect(ended).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"deployment.suceeded" is no event type: app'),
  });
});

test('a model that is not available on credits has no price', async () => {
  const model = { object: 'model', owned_by: 'x', name: 'X' };
  const data = [
    { ...model, id: 'x/sold', credits: true, pricing_zar_per_million: { input: '2.50', output: '10.00' } },
    { ...model, id: 'x/own', credits: false, pricing_zar_per_million: { input: '0.00', output: '0.00' } },
  ];
  const answer: RequestListener = (_, response) => response.end(JSON.stringify({ object: 'list', data }));
  const { stdout } = await hostingAt(answer, ['ai', 'models']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(rows.slice(1)).toEqual([
    ['x/sold', '2.50', '10.00'],
    ['x/own', 'own key', 'own key'],
  ]);
});
