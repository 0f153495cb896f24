/** Settings of a {@link Cache}. */
export interface CacheOptions {
  /** Maximum number of entries; beyond it the least recently used one is evicted. */
  max: number;
  /** Time to live, in milliseconds, of an entry that is stored without one of its own. Without it, entries stay until evicted. */
  ttlMs?: number;
  /** Clock; the system's by default. */
  now?: () => Date;
}

const systemClock = () => new Date();

/**
 * In-memory cache of one process: bounded, least recently used entry evicted first, with a time to live per entry. Everything
 * that a warm instance remembers from one request to the next is in one of these (docs/decisions/0025-one-cache.md).
 */
export class Cache<V extends NonNullable<unknown>> {
  /** In the order of their last use, the least recent first; both times are in epoch milliseconds. */
  readonly #entries = new Map<string, { value: V; storedAt: number; expiresAt: number }>();
  readonly #options: CacheOptions;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  #now(): number {
    return (this.#options.now ?? systemClock)().getTime();
  }

  /** Returns the entry if it has not expired, and marks it as used. Where the clock has been set back, what was stored later expires. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    const now = this.#now();
    if (!entry || now < entry.storedAt || now >= entry.expiresAt) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Stores an entry, replacing an earlier one. */
  set(key: string, value: V, ttlMs: number = this.#options.ttlMs ?? Number.POSITIVE_INFINITY): void {
    this.#entries.delete(key);
    for (const leastRecentlyUsed of this.#entries.keys()) {
      if (this.#entries.size < this.#options.max) break;
      this.#entries.delete(leastRecentlyUsed);
    }
    const storedAt = this.#now();
    this.#entries.set(key, { value, storedAt, expiresAt: storedAt + ttlMs });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}

/** Settings of a read-through cache. */
export interface ReadThroughOptions extends CacheOptions {
  /** Time in milliseconds for which an expired entry is still returned, while one read refreshes it. */
  staleMs?: number;
}

/**
 * Returns a function that takes a value from a {@link Cache}, or reads and stores it. Concurrent callers share one read, and
 * a failed read is not stored. An expired entry within `staleMs` is returned at once and refreshed in the background; where
 * that fails, the next call tries again.
 */
export function readThrough<V>({ ttlMs = Number.POSITIVE_INFINITY, staleMs = 0, ...options }: ReadThroughOptions) {
  const { now = systemClock } = options;
  const entries = new Cache<{ value: V; readAt: number; freshUntil: number }>({ ...options, ttlMs: ttlMs + staleMs });
  const reads = new Map<string, Promise<V>>();
  const start = (key: string, read: () => Promise<V>): Promise<V> => {
    const readAt = now().getTime();
    const reading = new Promise<V>((resolve) => resolve(read()))
      .then((value) => {
        entries.set(key, { value, readAt, freshUntil: now().getTime() + ttlMs });
        return value;
      })
      .finally(() => reads.delete(key));
    reads.set(key, reading);
    return reading;
  };
  const get = async (key: string, read: () => Promise<V>): Promise<V> => {
    const entry = entries.get(key);
    if (entry && now().getTime() < entry.freshUntil) return entry.value;
    const reading = reads.get(key) ?? start(key, read);
    if (!entry) return await reading;
    // The next reader reads again where this fails.
    reading.catch(() => undefined);
    return entry.value;
  };
  /** Reads again although the entry has not expired, unless it was read less than `minAgeMs` ago. */
  const again = async (key: string, read: () => Promise<V>, minAgeMs: number): Promise<V> => {
    const entry = entries.get(key);
    if (entry && now().getTime() < entry.readAt + minAgeMs) return entry.value;
    return await (reads.get(key) ?? start(key, read));
  };
  return Object.assign(get, { again });
}

/** Time in milliseconds until a warm instance notices what an operator has changed. */
const OPERATOR_SETTING_TTL_MS = 30_000;

/** Age of a setting, in milliseconds, at which a request waits for it: an instance that was idle does not sell at yesterday's price. */
const OPERATOR_SETTING_MAX_AGE_MS = 300_000;

/**
 * Returns a function that reads an operator's setting once, and again in the background once it is older than 30 seconds:
 * no request waits for it but the first, and the first after five minutes without any.
 */
export function staleWhileRevalidate<V>(now: () => Date, read: () => Promise<V>): () => Promise<V> {
  const fetch = readThrough<V>({
    max: 1,
    ttlMs: OPERATOR_SETTING_TTL_MS,
    staleMs: OPERATOR_SETTING_MAX_AGE_MS - OPERATOR_SETTING_TTL_MS,
    now,
  });
  return () => fetch('setting', read);
}
