import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT } from '../addresses.ts';
import { signatureOf } from '../iam/identity.ts';
import { accountOfArn } from '../iam/operations/operation.ts';
import { openSessions } from './sts/sessions.ts';
import { type EmulatorOptions, ServiceError, type WireRequest } from './wire.ts';

/** Returns the directory of an account's state. The home account uses the data directory itself. */
export const accountDirectory = (dataDir: string, account: string): string =>
  account === ACCOUNT ? dataDir : join(dataDir, 'accounts', account);

/** The parts of a request that can carry its signature. */
type Signed = Pick<WireRequest, 'headers' | 'query'>;

/**
 * Returns a function that returns the account of a request's caller: the account of the role whose session signed the request, or the home
 * account for the administrator. The guard has already checked that the session is valid and authorized (local/iam/guard.ts).
 */
export function openCallerAccounts(dataDir: string): (request: Signed) => string {
  const sessions = openSessions(dataDir);
  return ({ headers, query }) => {
    const token = signatureOf(headers, query)?.sessionToken;
    const role = token === undefined ? undefined : sessions.read(token)?.session.role;
    return role === undefined ? ACCOUNT : accountOfArn(role);
  };
}

/** One part of an emulator per account. */
interface PerAccount<T> {
  readonly all: readonly T[];
  /** Returns the part for the account that a request comes from. */
  of(request: Signed): T;
}

/** Opens one part of an emulator per account. The accounts share only the port. */
export function perAccount<T>(
  { dataDir, accounts = [ACCOUNT] }: Pick<EmulatorOptions, 'dataDir' | 'accounts'>,
  open: (account: string, directory: string) => T,
): PerAccount<T> {
  const accountOf = openCallerAccounts(dataDir);
  const parts = new Map(
    accounts.map((account) => {
      const directory = accountDirectory(dataDir, account);
      mkdirSync(directory, { recursive: true });
      return [account, open(account, directory)];
    }),
  );
  return {
    all: [...parts.values()],
    of(request) {
      const part = parts.get(accountOf(request));
      if (part === undefined) throw new ServiceError('UnrecognizedClientException', 'The account does not exist.', 403);
      return part;
    },
  };
}
