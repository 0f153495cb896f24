import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { readThrough } from '../../domain/cache/cache.ts';
import { startEarly } from '../../domain/early.ts';
import { isUnset, type PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import { AwsError, callAws } from './client.ts';

/**
 * The secrets of the platform. An instance reads them from Secrets Manager and keeps them in memory. They are in no template and no
 * function configuration, and a new value needs no deployment (docs/decisions/0037-first-creation-and-secrets.md).
 */

/** The age in milliseconds at which a value is refreshed in the background. */
const TTL_MS = 5 * 60_000;
/** The shortest time in milliseconds between two reads after refusals, so that not every refusal causes a call to Secrets Manager. */
const MIN_AGE_MS = 10_000;

/** The current and the previous version of a secret. */
type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

/** Reads a version of a secret; undefined if there is no such version, for example before an operator has stored a value. */
export type ReadSecret = (name: string, stage: Stage) => Promise<string | undefined>;

const Response = z.object({ SecretString: z.string() });

/** Reads from Secrets Manager, with short attempts that fit into the timeout of any function. */
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

/** Creates a cached value. `get` refreshes it in the background, `again` waits for a fresh one. */
function cached<V>(read: () => Promise<V>, now: () => Date) {
  const values = readThrough<V>({ max: 1, ttlMs: TTL_MS, staleMs: Number.POSITIVE_INFINITY, now });
  const get = () => values('value', read);
  // Starts while the rest of the function loads. If it fails, the first caller reads again.
  void startEarly(get());
  return { get, again: (minAgeMs = MIN_AGE_MS) => values.again('value', read, minAgeMs) };
}

/** Creates the key that `pick` returns from the parsed value of a secret. */
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

/** Opens a secret whose text is one key. */
export const openKey = (name: string, read: ReadSecret = readSecret, now: () => Date = systemClock): PlatformKey =>
  keyIn(
    cached(() => read(name, 'AWSCURRENT'), now),
    (text) => text,
  );

/**
 * Opens a secret whose text is a JSON object of several keys. Invalid JSON counts as a failed read: an instance continues with the
 * keys that it knows, and reads the corrected ones with its next request.
 */
export function openKeys(name: string, read: ReadSecret = readSecret, now: () => Date = systemClock) {
  const keys = cached(async () => parseKeys(name, await read(name, 'AWSCURRENT')), now);
  return (field: string): PlatformKey => keyIn(keys, ({ [field]: key }) => (typeof key === 'string' ? key : undefined));
}

const Keys = z.record(z.string(), z.unknown());

/** Parses the JSON of a secret. The error for invalid JSON names the secret, but not its content. */
function parseKeys(name: string, text: string | undefined): z.output<typeof Keys> {
  if (isUnset(text)) return {};
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw new Error(`The secret ${name} is not a JSON object of keys`);
  }
}

/**
 * Returns a function that returns true for the value of a secret, or of its previous version, which the sender may still use shortly
 * after a replacement. The previous version is read only when a value does not match the current one.
 */
export function secretMatcher(
  name: string,
  isEqual: (given: string, secret: string) => boolean,
  readVersion: ReadSecret = readSecret,
  now: () => Date = systemClock,
): (given: string) => Promise<boolean> {
  let stages: Stage[] = ['AWSCURRENT'];
  const accepted = cached(async () => {
    const requested = stages;
    const [current, previous] = await Promise.all(requested.map((stage) => readVersion(name, stage)));
    if (isUnset(current)) throw new Error(`The secret ${name} has no value`);
    return { values: [current, previous].filter((value) => value !== undefined), complete: requested.length === 2 };
  }, now);
  return async (given) => {
    const matches = ({ values }: { values: string[] }) => values.some((value) => isEqual(given, value));
    const known = await accepted.get();
    if (matches(known)) return true;
    stages = ['AWSCURRENT', 'AWSPREVIOUS'];
    let found = await accepted.again(known.complete ? MIN_AGE_MS : 0);
    // That read may have started before `stages` included the previous version.
    if (!found.complete) found = await accepted.again(0);
    return matches(found);
  };
}
