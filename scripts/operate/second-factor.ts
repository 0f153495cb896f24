import * as z from 'zod/mini';
import { SECOND_FACTOR_CLIENT } from '../../contract/accounts/session.ts';
import { AwsError, callAws } from '../../runtime/aws/client.ts';
import { endpointFor } from '../../runtime/config.ts';
import type { Conversation } from './conversation.ts';

interface Options {
  email: string;
  /** True to replace an existing factor, which requires one of its codes. */
  replace: boolean;
  userPoolId: string;
  /** Name of the installation in the authenticator app. */
  issuer: string;
}

const FACTOR = 'SOFTWARE_TOKEN_MFA';
const MAX_CODES = 3;
const TIMEOUT_MS = 15_000;
/** The errors of `VerifySoftwareToken` for a wrong code. */
const WRONG_CODE = ['CodeMismatchException', 'EnableSoftwareTokenMFAException'];

const Clients = z.object({ UserPoolClients: z.array(z.object({ ClientId: z.string(), ClientName: z.string() })) });
const User = z.object({ Username: z.string(), UserMFASettingList: z._default(z.array(z.string()), []) });
const Tokens = z.object({ AccessToken: z.string(), RefreshToken: z.optional(z.string()) });
const Associated = z.object({ SecretCode: z.string() });
const Verified = z.object({ Status: z.string() });
const SignIn = z.object({
  AuthenticationResult: z.optional(Tokens),
  ChallengeName: z.optional(z.string()),
  Session: z.optional(z.string()),
});

/** Calls an operation with the caller's credentials. Does not retry, because a code is valid only once. */
const call = (operation: string, input: object) => callAws('cognito-idp', operation, input, { once: true });

/**
 * Calls an operation with an access or refresh token, without a signature, which Cognito does not accept for it
 * (https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AssociateSoftwareToken.html).
 */
async function callWithToken(operation: string, input: object): Promise<unknown> {
  const target = `AWSCognitoIdentityProviderService.${operation}`;
  const response = await fetch(endpointFor('cognito-idp'), {
    method: 'POST',
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
  });
  const text = await response.text();
  const document: Record<string, unknown> = text === '' ? {} : JSON.parse(text);
  if (response.ok) return document;
  const name =
    String(document.__type ?? `Http${response.status}`)
      .split('#')
      .at(-1) ?? '';
  throw new AwsError(name, String(document.message ?? name), response.status);
}

/** Translates an error of Cognito into one that says what to do. */
function explain(error: unknown, email: string): unknown {
  if (!(error instanceof AwsError)) return error;
  const { name, message } = error;
  const texts: Record<string, string> = {
    AccessDeniedException: `Your AWS credentials lack a right: ${message}`,
    NotAuthorizedException: /username or password/.test(message) ? 'The password is wrong.' : `Cognito: ${message}`,
    CodeMismatchException: 'The code is wrong. Run the command again.',
    ExpiredCodeException: 'The code was used before. Run the command again with the next one.',
    PasswordResetRequiredException:
      'The password must be replaced first: choose "Forgot your password?" at the sign-in.',
    UserNotConfirmedException: `The address ${email} is not confirmed: sign in to the dashboard first.`,
    UserNotFoundException: `No user has the address ${email}: sign up at the dashboard first.`,
  };
  return new Error(texts[name] ?? `Cognito: ${name}: ${message}`, { cause: error });
}

const alreadySetUp = (email: string) =>
  new Error(`${email} has a second factor. To replace it, with a code of it, give --replace.`);

async function findClient(UserPoolId: string): Promise<string> {
  const { UserPoolClients } = Clients.parse(await call('ListUserPoolClients', { UserPoolId, MaxResults: 60 }));
  const client = UserPoolClients.find(({ ClientName }) => ClientName === SECOND_FACTOR_CLIENT);
  if (!client) throw new Error(`The user pool has no client ${SECOND_FACTOR_CLIENT}: deploy this release first.`);
  return client.ClientId;
}

/** Signs the user in with the password, and with a code if a factor is set up. */
async function signIn(
  { email, replace, userPoolId: UserPoolId }: Options,
  { ClientId, Username }: { ClientId: string; Username: string },
  { ask }: Conversation,
) {
  const AuthParameters = { USERNAME: email, PASSWORD: await ask(`Password of ${email}`, { secret: true }) };
  const flow = { UserPoolId, ClientId, AuthFlow: 'ADMIN_USER_PASSWORD_AUTH', AuthParameters };
  let answer = SignIn.parse(await call('AdminInitiateAuth', flow));
  const { ChallengeName, Session } = answer;
  if (ChallengeName === FACTOR) {
    if (!replace) throw alreadySetUp(email);
    const SOFTWARE_TOKEN_MFA_CODE = (await ask('Code of the factor that is set up')).trim();
    // Not the address: for this operation Cognito accepts only the user name.
    const ChallengeResponses = { USERNAME: Username, SOFTWARE_TOKEN_MFA_CODE };
    const response = { UserPoolId, ClientId, ChallengeName, Session, ChallengeResponses };
    answer = SignIn.parse(await call('AdminRespondToAuthChallenge', response));
  }
  if (answer.AuthenticationResult) return answer.AuthenticationResult;
  throw new Error(
    `Cognito asks for ${answer.ChallengeName} first: sign in to the dashboard, and run the command again.`,
  );
}

async function isCodeCorrect(input: { AccessToken: string; UserCode: string }): Promise<boolean> {
  try {
    return Verified.parse(await callWithToken('VerifySoftwareToken', input)).Status === 'SUCCESS';
  } catch (error) {
    if (error instanceof AwsError && WRONG_CODE.includes(error.name)) return false;
    throw error;
  }
}

/** Asks for a code until it is correct. Throws after the last attempt. */
async function verify(AccessToken: string, { ask, say }: Conversation): Promise<void> {
  for (let attempt = 1; attempt <= MAX_CODES; attempt += 1) {
    const UserCode = (await ask('Code that the app shows')).replaceAll(' ', '');
    if (/^\d{6}$/.test(UserCode) && (await isCodeCorrect({ AccessToken, UserCode }))) return;
    say('The code is wrong. It has six digits and changes every 30 seconds; the clock of the app must be right.');
  }
  throw new Error('No right code was given: the second factor is as it was. Run the command again.');
}

async function setUp({ email, issuer }: Options, AccessToken: string, conversation: Conversation): Promise<void> {
  const { SecretCode } = Associated.parse(await callWithToken('AssociateSoftwareToken', { AccessToken }));
  const [name, user] = [issuer, email].map(encodeURIComponent);
  const address = `otpauth://totp/${name}:${user}?secret=${SecretCode}&issuer=${name}`;
  conversation.say(
    `Add this to an authenticator app. It is shown once:\n\n  secret   ${SecretCode}\n  address  ${address}\n`,
  );
  await verify(AccessToken, conversation);
  const SoftwareTokenMfaSettings = { Enabled: true, PreferredMfa: true };
  await callWithToken('SetUserMFAPreference', { AccessToken, SoftwareTokenMfaSettings });
}

/**
 * Turns on a second factor for a user of the dashboard: codes of an authenticator app. The sign-in pages ask for a code, but cannot set up
 * a factor. Does not store the password, secret and tokens. Throws errors that say what to do.
 */
export async function setUpSecondFactor(options: Options, conversation: Conversation) {
  const { email, userPoolId: UserPoolId, replace } = options;
  try {
    const ClientId = await findClient(UserPoolId);
    const { Username, UserMFASettingList } = User.parse(await call('AdminGetUser', { UserPoolId, Username: email }));
    if (UserMFASettingList.includes(FACTOR) && !replace) throw alreadySetUp(email);
    const { AccessToken, RefreshToken } = await signIn(options, { ClientId, Username }, conversation);
    try {
      await setUp(options, AccessToken, conversation);
    } finally {
      // If this fails, or there is no refresh token, the tokens expire within an hour.
      if (RefreshToken !== undefined)
        await callWithToken('RevokeToken', { Token: RefreshToken, ClientId }).catch(() => undefined);
    }
    return { email, secondFactor: true };
  } catch (error) {
    throw explain(error, email);
  }
}
