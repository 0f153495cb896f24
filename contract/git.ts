import * as z from 'zod';

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
  .max(2048)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .refine((url) => !/[\s\\\x00-\x1f\x7f-\uffff]/.test(url) && (isHttps(url) || isScp(url)), {
    message: 'must be a Git address without credentials: https://host/path or git@host:path',
  })
  .meta({ examples: ['https://git.localhost/hello-express.git', 'git@github.com:you/app.git'] });

/** A branch name, by the rules of git-check-ref-format. */
export const Branch = z
  .string()
  .min(1)
  .max(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  .refine((name) => !/^[-/.]|\.\.|\/[/.]|@\{|\.lock(\/|$)|[/.]$|^@$|[\x00-\x20\x7f~^:?*[\\]/.test(name), {
    message: 'must be a valid branch name',
  });
