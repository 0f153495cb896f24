import { delimiter } from 'node:path';

/** Variables of the machine that builds and hosted applications may see: proxy and certificate settings. */
const NETWORK =
  /^(https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|GIT_SSL_CAINFO|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/i;
const LOCALE = /^(LANG|LC_[A-Z]+|TZ)$/;
/** npm's settings about the registry and the network, without the ones that `npm start` sets for its script. */
const NPM =
  /^npm_config_(registry|cache|userconfig|globalconfig|ca|cafile|proxy|https?_proxy|noproxy|strict_ssl|maxsockets|fetch_.*|prefer_offline|offline|@.*|\/\/.*)$/i;

const pick = (source: NodeJS.ProcessEnv, pattern: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => pattern.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** Returns the machine's PATH without npm's additions for scripts, so that builds do not find the platform's tools. */
export function machinePath(source: NodeJS.ProcessEnv = process.env): string[] {
  const added = /[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/;
  return (source.PATH ?? '').split(delimiter).filter((directory) => directory !== '' && !added.test(directory));
}

/** Returns the machine's proxy, certificate and locale settings. */
export const networkEnvironment = (source: NodeJS.ProcessEnv = process.env): Record<string, string> => ({
  ...pick(source, NETWORK),
  ...pick(source, LOCALE),
});

/** Returns npm's settings and the home directory, which contains npm's cache and `.npmrc`. */
export const npmEnvironment = (source: NodeJS.ProcessEnv = process.env): Record<string, string> => ({
  ...pick(source, NPM),
  ...pick(source, /^(HOME|USER|LOGNAME)$/),
});
