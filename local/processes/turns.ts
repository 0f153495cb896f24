import { availableParallelism } from 'node:os';

export interface TurnsOptions {
  /** Requests that have the machine at a time. Default: one for each core, and at least two. */
  atOnce?: number;
  /** Milliseconds after which a request that is not answered has waited for something else than the machine. */
  turnMs?: number;
  /** Milliseconds in which half of what a caller has used is forgotten. */
  halfLifeMs?: number;
  /** Callers that are remembered. */
  maxCallers?: number;
  now?: () => number;
}

interface Caller {
  /** Turns that it had lately, fewer the longer they are past. */
  used: number;
  usedAt: number;
  waiting: (() => void)[];
}

/**
 * Gives requests their turns on one machine: a few at a time, and next always one of the caller who has used the least. On Lambda each request
 * has a processor of its own, so that a caller with many requests delays no other; here it waits for itself.
 * (docs/decisions/0078-fair-local-run.md)
 */
export function createTurns({
  atOnce = Math.max(2, availableParallelism()),
  turnMs = 30,
  halfLifeMs = 2000,
  maxCallers = 1000,
  now = () => performance.now(),
}: TurnsOptions = {}) {
  const callers = new Map<string, Caller>();
  let free = atOnce;

  const usedBy = ({ used, usedAt }: Caller): number => used * 0.5 ** ((now() - usedAt) / halfLifeMs);
  const callerOf = (name: string): Caller => {
    const caller = callers.get(name) ?? { used: 0, usedAt: now(), waiting: [] };
    // The one whose last request is longest ago is forgotten first, but none that waits.
    callers.delete(name);
    for (const [oldest, { waiting }] of callers) {
      if (callers.size < maxCallers) break;
      if (waiting.length === 0) callers.delete(oldest);
    }
    callers.set(name, caller);
    return caller;
  };

  const begin = (caller: Caller): void => {
    free -= 1;
    caller.used = usedBy(caller) + 1;
    caller.usedAt = now();
  };
  const next = (): void => {
    let first: Caller | undefined;
    for (const caller of callers.values()) {
      if (caller.waiting.length > 0 && (!first || usedBy(caller) < usedBy(first))) first = caller;
    }
    const start = first?.waiting.shift();
    if (!first || !start) return;
    begin(first);
    start();
  };
  /** The turn that a caller now has: it ends with its work, or when it has lasted for long. */
  const turn = (): (() => void) => {
    let isOver = false;
    const end = (): void => {
      clearTimeout(timer);
      if (isOver) return;
      isOver = true;
      free += 1;
      next();
    };
    const timer = setTimeout(end, turnMs);
    return end;
  };

  /** Does a caller's work when it is its turn. */
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const caller = callerOf(name);
    if (free > 0) begin(caller);
    else {
      await new Promise<void>((resolve) => {
        caller.waiting.push(resolve);
      });
    }
    const end = turn();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
