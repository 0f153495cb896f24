/**
 * Queues as discrete events: jobs that arrive, slots that they occupy, one after another by the queue's order. Times are
 * milliseconds of simulated time.
 */

export interface Job {
  group: string;
  arrivesAt: number;
  takesMs: number;
}

export interface Served extends Job {
  beganAt: number;
  endedAt: number;
}

/** Chooses the next job out of those that wait; undefined while none may begin. */
export type Order = (waiting: readonly Job[], busy: readonly Served[]) => Job | undefined;

/** First come, first served. */
export const inOrder: Order = ([first]) => first;

/** The group with the fewest jobs under way first, of these the one that has waited longest for its turn. */
export function fairOrder(): Order {
  const lastTurn = new Map<string, number>();
  let turn = 0;
  return (waiting, busy) => {
    const running = (group: string) => busy.filter((job) => job.group === group).length;
    const firsts = [...new Map([...waiting].reverse().map((job) => [job.group, job])).values()];
    const [next] = firsts.sort(
      (a, b) =>
        running(a.group) - running(b.group) ||
        (lastTurn.get(a.group) ?? -1) - (lastTurn.get(b.group) ?? -1) ||
        a.arrivesAt - b.arrivesAt,
    );
    if (next) lastTurn.set(next.group, turn++);
    return next;
  };
}

/** Serves all jobs with so many slots. */
export function serve(jobs: readonly Job[], slots: number, order: Order): Served[] {
  const coming = [...jobs].sort((a, b) => a.arrivesAt - b.arrivesAt);
  const waiting: Job[] = [];
  const done: Served[] = [];
  let busy: Served[] = [];
  let now = 0;
  while (coming.length + waiting.length > 0) {
    busy = busy.filter(({ endedAt }) => endedAt > now);
    while (coming[0] && coming[0].arrivesAt <= now) waiting.push(...coming.splice(0, 1));
    const next = busy.length < slots ? order(waiting, busy) : undefined;
    if (next) {
      waiting.splice(waiting.indexOf(next), 1);
      const served = { ...next, beganAt: now, endedAt: now + next.takesMs };
      busy.push(served);
      done.push(served);
      continue;
    }
    const times = [...busy.map(({ endedAt }) => endedAt), coming[0]?.arrivesAt ?? Number.POSITIVE_INFINITY];
    now = Math.min(...times.filter((time) => time > now));
  }
  return done;
}
