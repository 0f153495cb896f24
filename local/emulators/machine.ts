import { delimiter } from 'node:path';

/** What a build or a hosted application may know of the machine: how to reach the network, and who trusts what. */
const NETWORK =
  /^(https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|GIT_SSL_CAINFO|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$/i;
const LOCALE = /^(LANG|LC_[A-Z]+|TZ)$/;
/** npm's settings about the registry and the network; those that `npm start` itself sets for its script are not among them. */
const NPM =
  /^npm_config_(registry|cache|userconfig|globalconfig|ca|cafile|proxy|https?_proxy|noproxy|strict_ssl|maxsockets|fetch_.*|prefer_offline|offline|@.*|\/\/.*)$/i;

const pick = (source: NodeJS.ProcessEnv, pattern: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(source).filter(
      (entry): entry is [string, string] => pattern.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** The machine's PATH without what npm adds for its scripts: the platform's own tools are nobody else's. */
export function machinePath(source: NodeJS.ProcessEnv = process.env): string[] {
  const added = /[\\/](node_modules[\\/]\.bin|node-gyp-bin)$/;
  return (source.PATH ?? '').split(delimiter).filter((directory) => directory !== '' && !added.test(directory));
}

/** Proxy, certificates and locale of the machine. */
export const networkEnvironment = (source: NodeJS.ProcessEnv = process.env): Record<string, string> => ({
  ...pick(source, NETWORK),
  ...pick(source, LOCALE),
});

/** npm's settings, and the home directory where it keeps its cache and its `.npmrc`. */
export const npmEnvironment = (source: NodeJS.ProcessEnv = process.env): Record<string, string> => ({
  ...pick(source, NPM),
  ...pick(source, /^(HOME|USER|LOGNAME)$/),
});
