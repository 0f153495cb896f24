import type { Job } from '../../providers/builds/builds.ts';
import { databaseVariables, mergeVariables } from '../app-runtime/databases.ts';
import { BuildFailure } from '../failure.ts';

/**
 * Returns the variables of the application's commands: the owner's, and those of the databases that can be opened, which have the same names
 * as those of the release.
 */
export const commandVariables = ({
  variables,
  databases,
  databasePasswords = {},
}: Pick<Job, 'variables' | 'databases' | 'databasePasswords'>): Record<string, string> =>
  mergeVariables(
    databaseVariables(databases, ({ prefix }) => databasePasswords[prefix]),
    variables,
  );

/** Returns the signature of a password, which no encoding of a URL or a string changes; the password itself if it has none. */
const signatureOf = (password: string): string => /X-Amz-Signature=([\da-f]{64})/.exec(password)?.[1] ?? password;

/** Returns the texts of the databases' passwords that a log must not show. */
export const passwordSecrets = ({ databasePasswords = {} }: Pick<Job, 'databasePasswords'>): string[] =>
  Object.values(databasePasswords).flatMap((password) => [password, signatureOf(password)]);

/**
 * Returns a function that refuses a file of the release with a password that a build has received: frameworks write the values of variables
 * into code, and the release could no longer connect after an hour. It throws {@link BuildFailure}.
 */
export function refusePasswords({ databasePasswords = {} }: Pick<Job, 'databasePasswords'>) {
  const signatures = Object.entries(databasePasswords).map(([prefix, password]) => ({
    prefix,
    signature: signatureOf(password),
  }));
  return (path: string, content: Buffer): void => {
    const found = signatures.find(({ signature }) => content.includes(signature));
    if (found === undefined) return;
    throw new BuildFailure(
      `The build wrote the password of a database, which expires within an hour, into ${path}. Read DATABASE_URL or ${found.prefix}_URL when the application runs: with SvelteKit from "$env/dynamic/private", with Nuxt and Next.js from process.env instead of their configuration. If nothing reads the value, unset the variable in the build command.`,
    );
  };
}
