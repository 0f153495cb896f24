import { availableParallelism } from 'node:os';

export interface AdmissionOptions {
  /** Number of slots. Default: one for each core, and at least two. */
  concurrency?: number;
  /** Milliseconds after which a request gives its slot back, because it waits for something other than the processor. */
  maxHoldMs?: number;
  /** Half-life of a caller's recorded use, in milliseconds. */
  halfLifeMs?: number;
  /** Maximum number of callers whose use is recorded. */
  maxCallers?: number;
  now?: () => number;
}

interface Caller {
  /** Number of slots that the caller has acquired, with exponential decay. */
  used: number;
  usedAt: number;
  waiting: (() => void)[];
}

/**
 * Admits a few requests at a time, and next always one of the caller that has used the fewest slots lately. On Lambda each request has its
 * own processor, so that a caller with many requests delays no other caller. On one machine, such a caller waits for its own requests
 * (docs/decisions/0078-fair-local-run.md).
 */
export function createFairAdmission({
  concurrency = Math.max(2, availableParallelism()),
  maxHoldMs = 30,
  halfLifeMs = 2000,
  maxCallers = 1000,
  now = () => performance.now(),
}: AdmissionOptions = {}) {
  const callers = new Map<string, Caller>();
  let free = concurrency;

  const usedBy = ({ used, usedAt }: Caller): number => used * 0.5 ** ((now() - usedAt) / halfLifeMs);
  const callerOf = (name: string): Caller => {
    const caller = callers.get(name) ?? { used: 0, usedAt: now(), waiting: [] };
    // Evicts the least recently active callers, except those with waiting requests.
    callers.delete(name);
    for (const [oldest, { waiting }] of callers) {
      if (callers.size < maxCallers) break;
      if (waiting.length === 0) callers.delete(oldest);
    }
    callers.set(name, caller);
    return caller;
  };

  const acquire = (caller: Caller): void => {
    free -= 1;
    caller.used = usedBy(caller) + 1;
    caller.usedAt = now();
  };
  const admitNext = (): void => {
    let first: Caller | undefined;
    for (const caller of callers.values()) {
      if (caller.waiting.length > 0 && (!first || usedBy(caller) < usedBy(first))) first = caller;
    }
    const start = first?.waiting.shift();
    if (!first || !start) return;
    acquire(first);
    start();
  };
  /** Returns a function that releases an acquired slot. The slot is released after the maximum duration in any case. */
  const holdSlot = (): (() => void) => {
    let isReleased = false;
    const release = (): void => {
      clearTimeout(timer);
      if (isReleased) return;
      isReleased = true;
      free += 1;
      admitNext();
    };
    const timer = setTimeout(release, maxHoldMs);
    return release;
  };

  /** Runs a caller's work once it has a slot. */
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const caller = callerOf(name);
    if (free > 0) acquire(caller);
    else {
      await new Promise<void>((resolve) => {
        caller.waiting.push(resolve);
      });
    }
    const release = holdSlot();
    try {
      return await work();
    } finally {
      release();
    }
  };
}
