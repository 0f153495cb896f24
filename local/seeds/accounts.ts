import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { OPERATOR_GROUP } from '../../contract/accounts/session.ts';
import type { LoginEmulator } from '../emulators/login/login.ts';
import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import { readReplaced, replaceFile } from '../replaced-file.ts';

/** An account in `local.json`. */
const Account = z.object({
  id: z.string(),
  email: z.string(),
  password: z.string(),
  dashboardToken: z.string(),
  secretKey: z.string(),
  publicKey: z.string(),
  keys: z.record(z.string(), z.string()),
  restrictedPublic: z.object({ key: z.string(), origin: z.string() }),
});
const Accounts = z.object({ demo: Account.optional(), other: Account.optional(), operator: Account.optional() });
type Account = z.output<typeof Account>;
const NAMES = ['demo', 'other', 'operator'] as const;
export type Accounts = Record<(typeof NAMES)[number], Account>;

/** Result of the operator function: an account with its keys and their secrets. */
const Opened = z.object({
  id: z.string(),
  keys: z.array(z.object({ name: z.string(), secretKey: z.string(), publicKey: z.string() })),
});

const SCOPES = ['ai', 'read', 'write', 'deploy', 'domains'];
const RESTRICTED_ORIGIN = 'https://allowed.example';

/** The keys of every account. The first ones have a reserve (contract/limits/limits.ts), including `ai`. */
const KEYS = [
  { name: 'all', scopes: SCOPES },
  ...SCOPES.map((scope) => ({ name: scope, scopes: [scope] })),
  { name: 'expired', scopes: SCOPES, expiresAt: '2020-01-01T00:00:00.000Z' },
  { name: 'revoked', scopes: SCOPES, revoked: true },
  { name: 'restricted', scopes: SCOPES, allowedOrigins: [RESTRICTED_ORIGIN] },
];

const ACCOUNTS = {
  demo: {
    email: 'demo@example.com',
    name: 'Demo',
    plan: { slug: 'app-10', name: 'App 10', appLimit: 10 },
    walletCents: 500_000,
    aiCreditsMicroRand: 100_000_000,
    keys: KEYS,
  },
  other: {
    email: 'other@example.com',
    name: 'Other',
    plan: { slug: 'app-1', name: 'App 1', appLimit: 1 },
    walletCents: 0,
    keys: KEYS,
  },
  operator: {
    email: 'operator@example.com',
    name: 'Operator',
    plan: { slug: 'app-1', name: 'App 1', appLimit: 1 },
    walletCents: 0,
    keys: KEYS,
  },
};
const GROUPS: Partial<Record<keyof Accounts, string[]>> = { operator: [OPERATOR_GROUP] };

/** The services that the seeds of accounts need. */
interface Engines {
  functions: readonly FunctionSpec[];
  lambda: Pick<Lambda, 'invoke'>;
  login: Pick<LoginEmulator, 'subjectOf' | 'tokenFor' | 'setPassword' | 'users'>;
}

/** Returns a random password: a known one would give access to anyone who can reach the port. */
const newPassword = () => randomBytes(12).toString('base64url');
/** Returns true if an account has a published password, as before version 0.3. */
const isPublished = (who: keyof Accounts, { password }: Account) => password === `${who}-password`;
const subjectOf = (who: keyof Accounts, password: string, { login }: Engines) => {
  const { email, name } = ACCOUNTS[who];
  const groups = GROUPS[who];
  return login.subjectOf({ email, name, password, ...(groups ? { groups } : {}) });
};

async function open(who: keyof Accounts, operator: string, engines: Engines): Promise<Account> {
  const password = newPassword();
  const { users } = engines.login;
  // The first start was interrupted: this user's account may exist, but its keys are lost. A new user gets a new account.
  const earlier = users.byEmail(ACCOUNTS[who].email);
  if (earlier) users.remove(earlier.subject);
  const owner = await subjectOf(who, password, engines);
  const { id, keys } = Opened.parse(await engines.lambda.invoke(operator, { ...ACCOUNTS[who], login: owner }));
  const key = (name: string) => {
    const found = keys.find((each) => each.name === name);
    if (!found) throw new Error(`The account ${who} was created without its key "${name}"`);
    return found;
  };
  const named = [...SCOPES, 'expired', 'revoked'].map((name) => [name, key(name).secretKey]);
  return {
    id,
    email: ACCOUNTS[who].email,
    password,
    dashboardToken: '',
    secretKey: key('all').secretKey,
    publicKey: key('all').publicKey,
    keys: Object.fromEntries(named),
    restrictedPublic: { key: key('restricted').publicKey, origin: RESTRICTED_ORIGIN },
  };
}

/**
 * Creates the demo accounts on the first start, with the function that operators use. `file` stores their secrets, which are not
 * stored anywhere else.
 */
export async function seedAccounts(file: string, engines: Engines): Promise<{ accounts: Accounts; first: boolean }> {
  const known = Accounts.parse(JSON.parse(readReplaced(file) ?? '{}'));
  const operator = functionNamed(engines.functions, 'operator/createAccount');
  const [demo, other, operators] = await Promise.all([
    known.demo ?? open('demo', operator.name, engines),
    known.other ?? open('other', operator.name, engines),
    known.operator ?? open('operator', operator.name, engines),
  ]);
  const accounts = { demo, other, operator: operators };
  const first = !known.demo || !known.other;
  let isChanged = first || !known.operator;
  for (const who of NAMES) {
    if (!isPublished(who, accounts[who])) continue;
    accounts[who] = { ...accounts[who], password: newPassword() };
    await engines.login.setPassword(accounts[who]);
    isChanged = true;
  }
  if (isChanged) replaceFile(file, JSON.stringify(accounts));
  // Tokens expire, so each start issues new ones for a day.
  const fresh = async (who: keyof Accounts): Promise<Account> => ({
    ...accounts[who],
    dashboardToken: await engines.login.tokenFor(await subjectOf(who, accounts[who].password, engines)),
  });
  const [forDemo, forOther, forOperator] = await Promise.all([fresh('demo'), fresh('other'), fresh('operator')]);
  return { accounts: { demo: forDemo, other: forOther, operator: forOperator }, first };
}
