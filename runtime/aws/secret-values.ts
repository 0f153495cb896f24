import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { readThrough } from '../../domain/cache/cache.ts';
import { startEarly } from '../../domain/early.ts';
import { isUnset, type PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import { AwsError, callAws } from './client.ts';

/**
 * Secrets of the platform, read from Secrets Manager when an instance first needs them and kept in its memory. None is in
 * a template or in a function's configuration, and a new value needs no deployment (docs/decisions/0037-first-creation-and-secrets.md).
 */

/** Age in milliseconds at which a value is read again, in the background. */
const TTL_MS = 5 * 60_000;
/** Time in milliseconds in which a refused value is not read again: refusals must not become calls to Secrets Manager. */
const MIN_AGE_MS = 10_000;

/** The version that is in use, and the one before it. */
type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

/** Reads a version of a secret; undefined if the secret has none with this stage, as before an operator stores one. */
export type ReadSecret = (name: string, stage: Stage) => Promise<string | undefined>;

const Response = z.object({ SecretString: z.string() });

/** Reads from Secrets Manager. Two short attempts fit into the time of any function. */
export const readSecret: ReadSecret = async (name, stage) => {
  try {
    const input = { SecretId: name, VersionStage: stage };
    const response = await callAws('secretsmanager', 'GetSecretValue', input, {
      attempts: 3,
      timeout: TIMEOUTS_S.aws.secret * 1000,
    });
    return Response.parse(response).SecretString;
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

const systemClock = () => new Date();

/** Creates a cached value: `get` refreshes it in the background, `again` waits for a fresh one. */
function cached<V>(read: () => Promise<V>, now: () => Date) {
  const values = readThrough<V>({ max: 1, ttlMs: TTL_MS, staleMs: Number.POSITIVE_INFINITY, now });
  const get = () => values('value', read);
  // Begins while the rest of the function loads. A failure is the first caller's, who reads again.
  void startEarly(get());
  return { get, again: (minAgeMs = MIN_AGE_MS) => values.again('value', read, minAgeMs) };
}

/** Creates the key that `pick` finds in what a secret's text was parsed to. */
function keyIn<V>({ get, again }: ReturnType<typeof cached<V>>, pick: (value: V) => string | undefined): PlatformKey {
  const keyOf = (value: V): string | undefined => {
    const key = pick(value);
    return isUnset(key) ? undefined : key.trim();
  };
  return {
    current: async () => keyOf(await get()),
    async replacementOf(refused) {
      const known = keyOf(await get());
      const key = known === refused ? keyOf(await again()) : known;
      return key === refused ? undefined : key;
    },
  };
}

/** Opens the key that a secret is. */
export const openKey = (name: string, read: ReadSecret = readSecret, now: () => Date = systemClock): PlatformKey =>
  keyIn(
    cached(() => read(name, 'AWSCURRENT'), now),
    (text) => text,
  );

/**
 * Opens the keys of a secret that is a JSON object with several. A text that is none counts as one that could not be read: an
 * instance goes on with the keys that it knows, and has the corrected ones with its next request.
 */
export function openKeys(name: string, read: ReadSecret = readSecret, now: () => Date = systemClock) {
  const keys = cached(async () => parseKeys(name, await read(name, 'AWSCURRENT')), now);
  return (field: string): PlatformKey => keyIn(keys, ({ [field]: key }) => (typeof key === 'string' ? key : undefined));
}

const Keys = z.record(z.string(), z.unknown());

/** Returns a secret's JSON. The error of a text that is no JSON object names the secret and not its content. */
function parseKeys(name: string, text: string | undefined): z.output<typeof Keys> {
  if (isUnset(text)) return {};
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw new Error(`The secret ${name} is not a JSON object of keys`);
  }
}

/**
 * Returns a function that tells whether a value is that of a secret, or of its version before: the sender
 * may use it for a while after it was replaced. The version before is read only once a value is not the current one.
 */
export function secretMatcher(
  name: string,
  isEqual: (given: string, secret: string) => boolean,
  readVersion: ReadSecret = readSecret,
  now: () => Date = systemClock,
): (given: string) => Promise<boolean> {
  let stages: Stage[] = ['AWSCURRENT'];
  const accepted = cached(async () => {
    const read = stages;
    const [current, previous] = await Promise.all(read.map((stage) => readVersion(name, stage)));
    if (isUnset(current)) throw new Error(`The secret ${name} has no value`);
    return { values: [current, previous].filter((value) => value !== undefined), complete: read.length === 2 };
  }, now);
  return async (given) => {
    const matches = ({ values }: { values: string[] }) => values.some((value) => isEqual(given, value));
    const known = await accepted.get();
    if (matches(known)) return true;
    stages = ['AWSCURRENT', 'AWSPREVIOUS'];
    let found = await accepted.again(known.complete ? MIN_AGE_MS : 0);
    // That read may have begun before the version before was wanted.
    if (!found.complete) found = await accepted.again(0);
    return matches(found);
  };
}
