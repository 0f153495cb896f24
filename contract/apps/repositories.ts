import * as z from 'zod/mini';
import { isHostName } from '../host-names/host-names.ts';

/** The scheme and host of a repository's URL. */
export interface RepositoryAddress {
  scheme: 'https' | 'ssh';
  /** A host name or dotted-decimal IPv4 address in lower case, without escapes. */
  host: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const FORBIDDEN = /[\s\\\x00-\x1f\x7f-\uffff]|%(0|1|7f)/i;
const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const HTTPS = /^https:\/\/([^/?#@:]+)(:\d{1,5})?\/[^?#]+$/;
/** `git@host:path`, or with a port in git's notation: `git@[host:2222]:path`. */
const SSH = /^git@(?:([^:/[\]]+)|\[([^:/[\]]+):(\d{1,5})\]):(\/?[\w.~@+][\w.~@+/-]*)$/;

/** A path segment `.` or `..`, escaped or not. git passes it on, and `..` leaves the server's repository directory. */
const DOT_SEGMENT = /(?:\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

function parseHttpsAddress(url: string): RepositoryAddress | undefined {
  const host = HTTPS.exec(url)?.[1]?.toLowerCase();
  if (host === undefined || !URL.canParse(url) || DOT_SEGMENT.test(url)) return undefined;
  const { hostname, pathname } = new URL(url);
  // A URL parser normalizes hosts such as `0x7f.1` or `gith%75b.com`. git might read them differently, so they are refused.
  return hostname === host && pathname.length > 1 ? { scheme: 'https', host } : undefined;
}

function parseSshAddress(url: string): RepositoryAddress | undefined {
  const [, plain, bracketed, port = '22'] = SSH.exec(url) ?? [];
  const host = (plain ?? bracketed)?.toLowerCase();
  return host !== undefined && Number(port) >= 1 && Number(port) <= 65_535 ? { scheme: 'ssh', host } : undefined;
}

/** Parses the address of a repository. Returns undefined for an invalid or ambiguous address. */
export function parseRepositoryAddress(url: string): RepositoryAddress | undefined {
  if (FORBIDDEN.test(url)) return undefined;
  const found = parseHttpsAddress(url) ?? parseSshAddress(url);
  return found && (isHostName(found.host) || IPV4.test(found.host)) ? found : undefined;
}

/**
 * The address of a Git repository, `https://host/path` or `git@host:path`. Responses show it and git receives it, so it must not
 * contain credentials, options or control characters. domain/apps/repositories.ts decides which hosts are public, because the local
 * run allows more of them.
 */
export const RepositoryUrl = () =>
  z
    .string()
    .check(
      z.maxLength(2048),
      z.refine((url) => parseRepositoryAddress(url) !== undefined, {
        error: 'must be a Git address without credentials: https://host/path or git@host:path',
      }),
    )
    .register(z.globalRegistry, {
      examples: ['https://git.localhost/hello-express.git', 'git@github.com:you/app.git'],
    });

/** A branch name, by the rules of git-check-ref-format. */
export const Branch = () =>
  z.string().check(
    z.minLength(1),
    z.maxLength(255),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    z.refine((name) => !/^[-/.]|\.\.|\/[/.]|@\{|\.lock(\/|$)|[/.]$|^@$|[\x00-\x20\x7f~^:?*[\\]/.test(name), {
      error: 'must be a valid branch name',
    }),
  );
