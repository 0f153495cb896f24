/**
 * Discrete-event simulation of queues: jobs arrive and occupy slots, in the order that the queue chooses. Times are simulated
 * milliseconds.
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

/** Chooses the next of the waiting jobs; undefined while none may start. */
export type Order = (waiting: readonly Job[], busy: readonly Served[]) => Job | undefined;

/** First come, first served. */
export const inOrder: Order = ([first]) => first;

/** Prefers the group with the fewest running jobs and, among equals, the group that was served least recently. */
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

/** Serves all jobs with a number of slots. */
export function serve(jobs: readonly Job[], slots: number, order: Order): Served[] {
  const upcoming = [...jobs].sort((a, b) => a.arrivesAt - b.arrivesAt);
  const waiting: Job[] = [];
  const done: Served[] = [];
  let busy: Served[] = [];
  let now = 0;
  while (upcoming.length + waiting.length > 0) {
    busy = busy.filter(({ endedAt }) => endedAt > now);
    while (upcoming[0] && upcoming[0].arrivesAt <= now) waiting.push(...upcoming.splice(0, 1));
    const next = busy.length < slots ? order(waiting, busy) : undefined;
    if (next) {
      waiting.splice(waiting.indexOf(next), 1);
      const served = { ...next, beganAt: now, endedAt: now + next.takesMs };
      busy.push(served);
      done.push(served);
      continue;
    }
    const times = [...busy.map(({ endedAt }) => endedAt), upcoming[0]?.arrivesAt ?? Number.POSITIVE_INFINITY];
    now = Math.min(...times.filter((time) => time > now));
  }
  return done;
}
