import { readFileSync } from 'node:fs';
import { createGroupReader } from '../../local/processes/memory.ts';

const readAll = createGroupReader();

/** Ticks of processor time per second: USER_HZ, which is fixed in Linux. */
const TICKS_PER_SECOND = 100;

/** Returns a file of a process in /proc; undefined if the process has ended. */
function fileOf(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** Parses /proc/<pid>/stat: the parent, and the processor time in user and kernel mode. */
function statOf(pid: number): { parent: number; ticks: number } | undefined {
  const stat = fileOf(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** Returns a process and its descendants. Like this whole module, Linux only. */
export function treeOf(root: number): number[] {
  const found = [root];
  const parents = readAll(() => true).map(({ pid }) => ({ pid, parent: statOf(pid)?.parent }));
  for (const pid of found) found.push(...parents.filter(({ parent }) => parent === pid).map(({ pid: child }) => child));
  return found;
}

/** Returns the proportional set size of processes in MB: pages that several processes share count once. */
export function megabytesOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+)/m.exec(fileOf(pid, 'smaps_rollup') ?? '')?.[1] ?? 0));
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Returns the processor seconds that processes have used, for all their threads. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0), 0) / TICKS_PER_SECOND;

/** Returns the command line of a process. */
export const commandOf = (pid: number): string => (fileOf(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
