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
 * In-memory cache of one process: bounded, with a time to live per entry, evicting the least recently used entry first. A warm
 * instance keeps all data between requests in such caches (docs/decisions/0025-one-cache.md).
 */
export class Cache<V extends NonNullable<unknown>> {
  /** Entries in the order of their last use, least recent first. Times are in epoch milliseconds. */
  readonly #entries = new Map<string, { value: V; storedAt: number; expiresAt: number }>();
  readonly #options: CacheOptions;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  #now(): number {
    return (this.#options.now ?? systemClock)().getTime();
  }

  /** Returns the entry if it has not expired, and marks it as used. If the clock was set back, entries stored at later times expire. */
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
 * Returns a function that takes a value from a {@link Cache}, or reads and stores it. Concurrent callers share one read. Failed reads
 * are not stored. An entry that expired less than `staleMs` ago is returned immediately and refreshed in the background; if that
 * fails, the next call tries again.
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
    // If this fails, the next call reads again.
    reading.catch(() => undefined);
    return entry.value;
  };
  /** Refreshes an entry that has not expired, unless it was read less than `minAgeMs` ago. */
  const again = async (key: string, read: () => Promise<V>, minAgeMs: number): Promise<V> => {
    const entry = entries.get(key);
    if (entry && now().getTime() < entry.readAt + minAgeMs) return entry.value;
    return await (reads.get(key) ?? start(key, read));
  };
  return Object.assign(get, { again });
}

/** Time after which a warm instance refreshes a setting that an operator may have changed, in milliseconds. */
const OPERATOR_SETTING_TTL_MS = 30_000;

/** Age from which a request waits for the refresh, in milliseconds: an instance that was idle must not sell at yesterday's price. */
const OPERATOR_SETTING_MAX_AGE_MS = 300_000;

/**
 * Returns a function that reads an operator's setting, and refreshes it in the background once it is older than 30 seconds. Requests
 * wait only for the first read, and for a refresh after five minutes without requests.
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
