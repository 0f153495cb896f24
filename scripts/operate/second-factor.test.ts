import { spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { setCredentials } from '../../runtime/config.ts';
import { Refusal, type Scenario, startAwsAccount } from '../../test/support/aws-account.ts';
import { openConversation } from './conversation.ts';
import { setUpSecondFactor } from './second-factor.ts';

const EMAIL = 'operator@example.com';
const PASSWORD = 'correct horse battery staple';
const USER_POOL_ID = 'af-south-1_Pool';
const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** An operation with nothing to answer has an empty body. */
const EMPTY = Buffer.alloc(0);

const PERIOD_MS = 30_000;

/** Returns the code of a secret at a time, as an authenticator app computes it (RFC 6238). */
function codeOf(secret: string, at = Date.now()): string {
  const bits = [...secret].map((letter) => BASE_32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / PERIOD_MS)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Of the last moment too, as the clocks of apps differ. */
const isCodeOf = (secret: string, code: unknown): boolean =>
  code === codeOf(secret) || code === codeOf(secret, Date.now() - PERIOD_MS);

/** A user pool with one user, which keeps Cognito's rules for the calls of a second factor. */
function userPool(givesRefreshToken: boolean) {
  const user = { name: randomUUID(), secret: '', pending: '', verified: false, isOn: false };
  const tokens = { AccessToken: 'header.access.signature', RefreshToken: 'header.refresh.signature', ExpiresIn: 600 };
  const Session = 'session-of-at-least-twenty-characters';
  let isRevoked = true;
  const signedIn = () => {
    isRevoked = false;
    const { RefreshToken, ...others } = tokens;
    return { ChallengeParameters: {}, AuthenticationResult: givesRefreshToken ? tokens : others };
  };
  const withToken =
    (act: (input: Record<string, unknown>) => object): Scenario[string] =>
    ({ input }) =>
      input.AccessToken === tokens.AccessToken && !isRevoked
        ? act(input)
        : new Refusal('NotAuthorizedException', 'Access Token has been revoked');
  const scenario: Scenario = {
    'cognito-idp ListUserPoolClients': {
      UserPoolClients: [
        { ClientId: 'client-of-the-dashboard', UserPoolId: USER_POOL_ID, ClientName: 'dashboard' },
        { ClientId: 'client-of-factors', UserPoolId: USER_POOL_ID, ClientName: 'second-factor' },
      ],
    },
    'cognito-idp AdminGetUser': ({ input }) => {
      if (input.Username !== EMAIL) return new Refusal('UserNotFoundException', 'User does not exist.');
      const factors = user.isOn ? { UserMFASettingList: ['SOFTWARE_TOKEN_MFA'] } : {};
      return { Username: user.name, UserStatus: 'CONFIRMED', Enabled: true, UserAttributes: [], ...factors };
    },
    'cognito-idp AdminInitiateAuth': ({ input }) => {
      const { AuthFlow, AuthParameters, ClientId, UserPoolId } = input;
      if (UserPoolId !== USER_POOL_ID || ClientId !== 'client-of-factors' || AuthFlow !== 'ADMIN_USER_PASSWORD_AUTH')
        return new Refusal('InvalidParameterException', 'Auth flow not enabled for this client');
      if (JSON.stringify(AuthParameters) !== JSON.stringify({ USERNAME: EMAIL, PASSWORD }))
        return new Refusal('NotAuthorizedException', 'Incorrect username or password.');
      if (!user.isOn) return signedIn();
      const ChallengeParameters = { USER_ID_FOR_SRP: user.name };
      return { ChallengeName: 'SOFTWARE_TOKEN_MFA', Session, ChallengeParameters };
    },
    'cognito-idp AdminRespondToAuthChallenge': ({ input }) => {
      const { USERNAME, SOFTWARE_TOKEN_MFA_CODE } = input.ChallengeResponses as Record<string, string>;
      const [ClientId, ChallengeName] = ['client-of-factors', 'SOFTWARE_TOKEN_MFA'];
      expect(input).toMatchObject({ UserPoolId: USER_POOL_ID, ClientId, ChallengeName, Session });
      if (USERNAME === user.name && isCodeOf(user.secret, SOFTWARE_TOKEN_MFA_CODE)) return signedIn();
      return new Refusal('CodeMismatchException', 'Invalid code received for user');
    },
    'unsigned AssociateSoftwareToken': withToken(() => {
      user.pending = Array.from(randomBytes(52), (byte) => BASE_32[byte % 32]).join('');
      return { SecretCode: user.pending };
    }),
    'unsigned VerifySoftwareToken': withToken(({ UserCode }) => {
      if (!isCodeOf(user.pending, UserCode)) return new Refusal('EnableSoftwareTokenMFAException', 'Code mismatch');
      Object.assign(user, { secret: user.pending, verified: true });
      return { Status: 'SUCCESS' };
    }),
    'unsigned SetUserMFAPreference': withToken(({ SoftwareTokenMfaSettings: settings }) => {
      if (!user.verified) return new Refusal('InvalidParameterException', 'User has not verified software token mfa');
      user.isOn = JSON.stringify(settings) === JSON.stringify({ Enabled: true, PreferredMfa: true });
      return EMPTY;
    }),
    'unsigned RevokeToken': ({ input: { Token, ClientId } }) => {
      if (Token !== tokens.RefreshToken || ClientId !== 'client-of-factors')
        return new Refusal('UnsupportedTokenTypeException', 'Unsupported token type');
      isRevoked = true;
      return EMPTY;
    },
    'lambda GET */hosting-prod-schedule-serveAccounts/configuration': {
      Environment: { Variables: { USER_POOL_ID, PUBLIC_URL: 'https://hosting.example', STAGE: 'prod' } },
    },
  };
  return { scenario, user, isSignedOut: () => isRevoked };
}

afterEach(() => void vi.unstubAllEnvs());

const NOTHING_LEFT = 'nothing is left of the answers';

/** Starts the pool, and returns the command, whose person answers in order: a function is given all that was said. */
async function start(change: Scenario = {}, givesRefreshToken = true) {
  const pool = userPool(givesRefreshToken);
  const account = await startAwsAccount({ ...pool.scenario, ...change }, {});
  onTestFinished(() => account.stop());
  vi.stubEnv('AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER', account.url);
  setCredentials({ accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'secret' });
  const said: string[] = [];
  const setUp = async (
    answers: (string | ((said: string) => string))[],
    { email = EMAIL, replace = false }: { email?: string; replace?: boolean } = {},
  ) => {
    const conversation = {
      say: (text: string) => void said.push(text),
      ask: async (question: string) => {
        said.push(question);
        const answer = answers.shift() ?? NOTHING_LEFT;
        return typeof answer === 'string' ? answer : answer(said.join('\n'));
      },
      close: () => undefined,
    };
    const options = { email, replace, userPoolId: USER_POOL_ID, issuer: 'hosting.example' };
    return await setUpSecondFactor(options, conversation);
  };
  const operations = () => account.calls.map(({ service, operation }) => `${service} ${operation}`);
  return { ...pool, account, setUp, said, operations };
}

const secretIn = (said: string): string => /secret {3}([A-Z2-7]{52})/.exec(said)?.[1] ?? '';
const shownCode = (said: string): string => codeOf(secretIn(said));
const TOKEN_CALLS = ['AssociateSoftwareToken', 'VerifySoftwareToken', 'SetUserMFAPreference', 'RevokeToken'];

test('sets up a second factor step by step, and leaves no session', async () => {
  const { setUp, user, operations, isSignedOut, said } = await start();
  expect(await setUp([PASSWORD, shownCode])).toEqual({ email: EMAIL, secondFactor: true });
  expect(operations()).toEqual([
    ...['ListUserPoolClients', 'AdminGetUser', 'AdminInitiateAuth'].map((each) => `cognito-idp ${each}`),
    // Cognito takes no signature for what a token allows.
    ...TOKEN_CALLS.map((each) => `unsigned ${each}`),
  ]);
  expect([user.isOn, isSignedOut()]).toEqual([true, true]);
  const shown = said.join('\n');
  expect(shown).toContain(
    `otpauth://totp/hosting.example:operator%40example.com?secret=${user.secret}&issuer=hosting.example`,
  );
  expect(shown).not.toContain(PASSWORD);
});

test('a second factor is set up by a client that is given no token to refresh', async () => {
  const { setUp, user, operations } = await start({}, false);
  expect(await setUp([PASSWORD, shownCode])).toEqual({ email: EMAIL, secondFactor: true });
  expect([user.isOn, operations().at(-1)]).toEqual([true, 'unsigned SetUserMFAPreference']);
});

test('a wrong password and an unknown user are named, and change nothing', async () => {
  const { setUp, user, operations } = await start();
  await expect(setUp(['wrong'])).rejects.toThrow('The password is wrong.');
  await expect(setUp([], { email: 'other@example.com' })).rejects.toThrow(
    'No user has the address other@example.com: sign up at the dashboard first.',
  );
  expect(operations().filter((each) => each.includes('SoftwareToken'))).toEqual([]);
  expect(user.isOn).toBe(false);
});

test('a code may be typed again, three times in all', async () => {
  const { setUp, user, operations, isSignedOut } = await start();
  const wrong = (said: string) => String((Number(shownCode(said)) + 1) % 1_000_000).padStart(6, '0');
  await expect(setUp([PASSWORD, wrong, 'no code', wrong])).rejects.toThrow('No right code was given');
  // What cannot be a code is not tried.
  expect(operations().filter((each) => each.endsWith('VerifySoftwareToken'))).toHaveLength(2);
  expect([user.isOn, isSignedOut()]).toEqual([false, true]);
  // As apps show it.
  await setUp([PASSWORD, wrong, (said) => shownCode(said.slice(said.lastIndexOf('secret   '))).replace(/^.../, '$& ')]);
  expect(user.isOn).toBe(true);
});

test('a factor that is set up is replaced on request only, with a code of it', async () => {
  const { setUp, user, said, operations } = await start();
  await setUp([PASSWORD, shownCode]);
  const first = user.secret;
  await expect(setUp([PASSWORD])).rejects.toThrow('To replace it, with a code of it, give --replace.');
  expect(operations().filter((each) => each.endsWith('AdminInitiateAuth'))).toHaveLength(1);
  const wrong = String((Number(codeOf(first)) + 1) % 1_000_000).padStart(6, '0');
  await expect(setUp([PASSWORD, wrong], { replace: true })).rejects.toThrow('The code is wrong.');
  expect(user.secret).toBe(first);
  said.length = 0;
  await setUp([PASSWORD, () => codeOf(first), shownCode], { replace: true });
  expect([user.secret === first, user.isOn]).toEqual([false, true]);
});

test('missing rights, a release without the client, and other states of the user are said in words', async () => {
  const denied = new Refusal('AccessDeniedException', 'User: … is not authorized to perform: cognito-idp:AdminGetUser');
  const refused = (code: string, message = code): Scenario => ({
    'cognito-idp AdminInitiateAuth': new Refusal(code, message),
  });
  for (const [change, text] of [
    [{ 'cognito-idp AdminGetUser': denied }, 'Your AWS credentials lack a right: User: … is not authorized'],
    [{ 'cognito-idp ListUserPoolClients': { UserPoolClients: [] } }, 'deploy this release first'],
    [refused('PasswordResetRequiredException'), 'Forgot your password?'],
    [refused('UserNotConfirmedException'), 'is not confirmed'],
    [refused('NotAuthorizedException', 'User is disabled.'), 'Cognito: User is disabled.'],
    [{ 'cognito-idp AdminInitiateAuth': { ChallengeName: 'SOFTWARE_TOKEN_MFA' } }, 'has a second factor'],
    [
      { 'cognito-idp AdminInitiateAuth': { ChallengeName: 'NEW_PASSWORD_REQUIRED', Session: 'session' } },
      'Cognito asks for NEW_PASSWORD_REQUIRED first',
    ],
  ] as [Scenario, string][]) {
    const { setUp } = await start(change);
    await expect(setUp([PASSWORD])).rejects.toThrow(text);
  }
});

test('the command reads the pool of the stage, and its answers from standard input', async () => {
  const { account, user } = await start();
  const script = resolve(import.meta.dirname, '../operate.ts');
  const flags = ['--email', EMAIL, '--stage', 'prod', '--region', 'af-south-1'];
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    AWS_ENDPOINT_URL: account.url,
    AWS_ACCESS_KEY_ID: 'AKIAOPERATOR',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const command = spawn(process.execPath, [script, 'second-factor', ...flags], { env });
  onTestFinished(() => void command.kill());
  const shown = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    command[name].setEncoding('utf8').on('data', (text) => {
      shown[name] += text;
    });
  const ended = once(command, 'exit');
  command.stdin.write(`${PASSWORD}\n`);
  await vi.waitFor(() => expect(secretIn(shown.stderr)).not.toBe(''), 110_000);
  command.stdin.write(`${shownCode(shown.stderr)}\n`);
  // The input stays open, as that of a terminal does.
  expect([await ended, shown.stderr]).toEqual([[0, null], expect.stringContaining('Code that the app shows')]);
  // The report may go into a file: the secret may not.
  expect(JSON.parse(shown.stdout)).toEqual({ email: EMAIL, secondFactor: true });
  expect([user.isOn, shown.stdout.includes(user.secret), shown.stderr.includes(PASSWORD)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(new Set(account.calls.map(({ key }) => key))).toEqual(new Set(['AKIAOPERATOR', '']));
});

test('a terminal shows codes as they are typed, but no password, and keeps no history', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = new PassThrough().setEncoding('utf8');
  const conversation = openConversation(input, output);
  const answer = async (question: string, keys: string, secret: boolean) => {
    const line = conversation.ask(question, { secret });
    input.write(keys);
    return { line: await line, shown: String(output.read()) };
  };
  const password = await answer('Password', `${PASSWORD}x\u007f\r`, true);
  expect(password.line).toBe(PASSWORD);
  expect(password.shown).toMatch(/Password: .*\n$/);
  expect(password.shown).not.toMatch(/[chr]o|staple|x/);
  // The key for the line before.
  const code = await answer('Code', '\u001b[A123 456\r', false);
  expect(code.line).toBe('123 456');
  expect(code.shown).toContain('123 456');
  const cancelled = conversation.ask('Code');
  input.write('\u0003');
  await expect(cancelled).rejects.toThrow('The input ended before the command was done.');
  conversation.close();
});
