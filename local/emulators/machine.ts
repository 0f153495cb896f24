import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Variables of the machine that builds and hosted applications may see: proxy and certificate settings. */
const NETWORK =
  /^(https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|GIT_SSL_CAINFO|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/i;
const LOCALE = /^(LANG|LC_[A-Z]+|TZ)$/;
/** npm's settings of the registry and the network. Excludes those that `npm start` sets for its script. */
const NPM =
  /^npm_config_(registry|cache|globalconfig|ca|cafile|proxy|https?_proxy|noproxy|strict_ssl|maxsockets|fetch_.*|prefer_offline|offline|@.*|\/\/.*)$/i;

const pick = (source: NodeJS.ProcessEnv, pattern: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => pattern.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Returns the machine's PATH without npm's additions for scripts, so that builds do not find the platform's tools. */
export function machinePath(): string[] {
  const added = /[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/;
  return (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '' && !added.test(directory));
}

/** Returns the machine's proxy, certificate and locale settings. */
export const networkEnvironment = (): Record<string, string> => ({
  ...pick(process.env, NETWORK),
  ...pick(process.env, LOCALE),
});

/** Settings of an `.npmrc` that determine how npm reaches a registry, without credentials. */
const CONNECTION = /^(registry|@[\w.-]+:registry|cafile|ca|strict-ssl|proxy|https?-proxy|noproxy)$/;

/** Returns the connection settings of an `.npmrc` as npm's environment variables. */
function connectionSettings(npmrc: string, source: NodeJS.ProcessEnv): Record<string, string> {
  const entries = npmrc.split(/\r?\n/).flatMap((line) => {
    const [, key = '', value = ''] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const expanded = value.replace(/^(["'])(.*)\1$/, '$2').replace(/\$\{(\w+)\}/g, (_, name) => source[name] ?? '');
    return CONNECTION.test(key) ? [[`npm_config_${key.replaceAll('-', '_')}`, expanded] as const] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns npm's settings for builds, and the home directory, which contains npm's cache. Of the user's `.npmrc` only the
 * connection settings apply, because its tokens and preferences must not reach applications.
 */
export function npmEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const file = source.npm_config_userconfig ?? join(source.HOME ?? '', '.npmrc');
  const npmrc = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return {
    ...connectionSettings(npmrc, source),
    ...pick(source, NPM),
    ...pick(source, /^(HOME|USER|LOGNAME)$/),
    npm_config_userconfig: '/dev/null',
  };
}
