import { commandOf, cpuSecondsOf, treeOf } from './tree.ts';

/** Returns the display name of a process of the run. */
const nameOf = (command: string): string =>
  command.includes('dynamodb/process.ts')
    ? 'table'
    : (/(queue-server|watchdog|start)\.ts/.exec(command)?.[1] ?? 'other');

/** Returns the processor seconds by process of the run. */
export const secondsByProcess = (root: number): Map<string, number> =>
  new Map(
    [...Map.groupBy(treeOf(root), (pid) => nameOf(commandOf(pid)))].map(([name, pids]) => [name, cpuSecondsOf(pids)]),
  );

/** Returns a function that returns the processor seconds per second since its last call, by process of the run. */
export function createMeter(root: number): () => Record<string, number> {
  let before = { at: performance.now(), seconds: secondsByProcess(root) };
  return () => {
    const now = { at: performance.now(), seconds: secondsByProcess(root) };
    const elapsed = (now.at - before.at) / 1000;
    const used = [...now.seconds].map(
      // The time of processes that have ended is missing: never report less than zero.
      ([name, seconds]) => [name, Math.max(0, seconds - (before.seconds.get(name) ?? 0)) / elapsed] as const,
    );
    before = now;
    return Object.fromEntries(used);
  };
}
