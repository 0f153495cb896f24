import * as z from 'zod/mini';

const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i;

function isHttps(url: string): boolean {
  if (!url.startsWith('https://') || !URL.canParse(url)) return false;
  const { username, password, hash, search, hostname, pathname } = new URL(url);
  return !username && !password && !hash && !search && HOST.test(hostname) && pathname.length > 1;
}

function isScp(url: string): boolean {
  const found = /^git@([^:/]+):(.+)$/.exec(url);
  return found?.[1] !== undefined && HOST.test(found[1]) && /^[\w.~@+][\w.~@+/-]*$/.test(found[2] ?? '');
}

/**
 * A Git repository's address, `https://host/path` or `git@host:path`. Never with credentials, options or control
 * characters in it: the address is shown in answers and handed to git.
 */
export const RepositoryUrl = z
  .string()
  .check(
    z.maxLength(2048),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    z.refine((url) => !/[\s\\\x00-\x1f\x7f-\uffff]/.test(url) && (isHttps(url) || isScp(url)), {
      error: 'must be a Git address without credentials: https://host/path or git@host:path',
    }),
  )
  .register(z.globalRegistry, { examples: ['https://git.localhost/hello-express.git', 'git@github.com:you/app.git'] });

/** A branch name, by the rules of git-check-ref-format. */
export const Branch = z.string().check(
  z.minLength(1),
  z.maxLength(255),
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  z.refine((name) => !/^[-/.]|\.\.|\/[/.]|@\{|\.lock(\/|$)|[/.]$|^@$|[\x00-\x20\x7f~^:?*[\\]/.test(name), {
    error: 'must be a valid branch name',
  }),
);
