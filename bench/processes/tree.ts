import { readFileSync } from 'node:fs';
import { createGroupReader } from '../../local/processes/memory.ts';

const readAll = createGroupReader();

/** Ticks of processor time in a second: USER_HZ, a constant of Linux's interface. */
const TICKS_PER_SECOND = 100;

/** Returns a file of a process in /proc; undefined if the process has ended. */
function fileOf(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** Fields of /proc/<pid>/stat after the command's name: the parent, and the processor time in user and kernel mode. */
function statOf(pid: number): { parent: number; ticks: number } | undefined {
  const stat = fileOf(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
}

/** Returns a process and its descendants. Linux only, as everything here. */
export function treeOf(root: number): number[] {
  const found = [root];
  const parents = readAll(() => true).map(({ pid }) => ({ pid, parent: statOf(pid)?.parent }));
  for (const pid of found) found.push(...parents.filter(({ parent }) => parent === pid).map((each) => each.pid));
  return found;
}

/** Returns the resident memory of processes in MB; pages that several share count once, divided among them. */
export function megabytesOf(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^Pss: +(\d+)/m.exec(fileOf(pid, 'smaps_rollup') ?? '')?.[1] ?? 0));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Returns the processor seconds that processes have used, for all their threads. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + (statOf(pid)?.ticks ?? 0), 0) / TICKS_PER_SECOND;

/** Returns a process's command, as the system lists it. */
export const commandOf = (pid: number): string => (fileOf(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
