import { hostname } from 'node:os';
import { createClient } from '../../client/index.ts';
import { type Command, CommandError, type Context, NotSignedIn, UsageError } from '../command.ts';
import { openBrowser } from '../login/browser.ts';
import { createKey, listAccounts, type MemberAccount, signIn } from '../login/sign-in.ts';
import { readAll } from '../text.ts';

const SCOPES = ['read', 'write', 'deploy', 'domains', 'ai'];
/** The maximum length of a key's name. */
const MAX_NAME_LENGTH = 60;

function parseScopes(text: string | undefined): string[] {
  const scopes = text === undefined ? SCOPES : text.split(',').map((scope) => scope.trim());
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) throw new UsageError(`"${unknown}" is no scope: ${SCOPES.join(', ')}.`);
  return scopes;
}

async function keyFromInput({ env, stdin }: Context): Promise<string> {
  // Checked first, because the stdin of a script may be a pipe that never ends.
  if (env.HOSTING_KEY) return env.HOSTING_KEY.trim();
  // A key typed at a terminal would stay visible.
  if (stdin.isTTY) throw new UsageError('Give the key on stdin (hosting login --key < key.txt) or as HOSTING_KEY.');
  return (await readAll(stdin)).trim();
}

/** Returns the account for a new key. Asks if the login is a member of several. */
async function chooseAccount(accounts: readonly MemberAccount[], { option, out, stdin, ask }: Context) {
  const named = option('account');
  const [first, ...others] = accounts.filter(({ id, name }) => named === undefined || named === id || named === name);
  if (first && others.length === 0) return first;
  const list = accounts.map(({ id, name, role }, index) => `${index + 1}. ${name} (${role}), ${id}`).join('\n');
  if (named !== undefined || !stdin.isTTY)
    throw new UsageError(`Which account? Choose one by its id or name with --account:\n${list}`);
  out.note(list);
  const chosen = accounts[Number(await ask('Which account? Its number: ')) - 1];
  if (!chosen) throw new CommandError('Nothing was done: that is not the number of an account.');
  return chosen;
}

async function keyFromBrowser(context: Context): Promise<string> {
  const { api, out, option, flag, signal } = context;
  const scopes = parseScopes(option('scopes'));
  const token = await signIn(
    api(),
    async (url) => {
      const isOpen = !flag('no-browser') && (await openBrowser(url));
      out.note(isOpen ? 'Sign in in the browser that has opened, or at:' : 'Open this address to sign in:');
      out.note(url);
    },
    signal,
  );
  const { id } = await chooseAccount(await listAccounts(api(), token), context);
  return await createKey(api(), token, id, { name: `Command line on ${hostname()}`.slice(0, MAX_NAME_LENGTH), scopes });
}

const login: Command = {
  name: 'login',
  summary: 'Sign in with the browser, and store a key for this machine',
  description: 'The key belongs to one account. If your login is a member of several accounts, choose one.',
  options: [
    {
      name: 'key',
      description: 'Store an existing key instead of signing in: HOSTING_KEY, or else from stdin',
    },
    { name: 'scopes', value: 'list', description: `Scopes of the key. Default: all (${SCOPES.join(',')})` },
    {
      name: 'account',
      value: 'account',
      description: 'Id or name of the account, for members of several accounts',
    },
    { name: 'no-browser', description: 'Print the address of the sign-in without opening it' },
  ],
  examples: ['hosting login --api https://api.example.com', 'hosting login --key < key.txt'],
  async run(context) {
    const { api, settings, out, flag, signal, env } = context;
    const baseUrl = api();
    const secretKey = flag('key') ? await keyFromInput(context) : await keyFromBrowser(context);
    if (!/^sk_[\x21-\x7e]+$/.test(secretKey))
      throw new CommandError('That is not a secret key, which begins with sk_live_. Was it copied whole?');
    const account = await createClient({ baseUrl, secretKey }).getAccount({}, { signal });
    settings.update(baseUrl, { secretKey });
    settings.use(baseUrl);
    if (env.HOSTING_KEY && env.HOSTING_KEY.trim() !== secretKey)
      out.note(
        `${out.style('yellow', 'warning')}: HOSTING_KEY overrides the stored key. Unset it to use the stored key.`,
      );
    const { id, email, name } = account;
    out.result({ api: baseUrl, email, name, id }, () => out.line(`Signed in to ${baseUrl} as ${email} (${name}).`));
  },
};

const logout: Command = {
  name: 'logout',
  summary: 'Forget the stored key',
  description: 'The key itself stays valid until you revoke it in the dashboard, under Developers.',
  async run({ api, settings, out }) {
    const baseUrl = api();
    if (!settings.of(baseUrl).secretKey) throw new NotSignedIn(`You are not signed in to ${baseUrl}.`);
    settings.forget(baseUrl);
    out.result({ api: baseUrl }, () =>
      out.line(`Deleted the stored key. Revoke it at ${baseUrl}/dashboard/developers if others may have seen it.`),
    );
  },
};

const whoami: Command = {
  name: 'whoami',
  summary: 'Show the account that the key belongs to',
  async run({ client, api, out, signal }) {
    const account = await client().getAccount({}, { signal });
    const { email, name, id, plan, walletBalance } = account;
    out.result(account, () =>
      out.fields({ email, name, id, plan: plan.name, wallet: `R${walletBalance}`, installation: api() }),
    );
  },
};

export const accountCommands: readonly Command[] = [login, logout, whoami];
