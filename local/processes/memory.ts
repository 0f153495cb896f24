import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process of this machine. */
export interface Process {
  pid: number;
  /** The process group. */
  group: number;
  /** Resident memory in KiB. */
  kilobytes: number;
}

const PROC = '/proc';

/** True on Linux. Other systems use `ps`, which costs ten times as much. */
const hasProc = existsSync(`${PROC}/self/stat`);

/**
 * Returns a function that reads the processes of the watched groups. A caller may use it several times a second, because it caches
 * the groups of processes and reads only new processes and those of watched groups. Reading all processes takes 4 ms.
 */
export function createGroupReader(): (isWatched: (group: number) => boolean) => Process[] {
  if (!hasProc) return (isWatched) => readPs().filter(({ group }) => isWatched(group));
  let known = new Map<number, number>();
  return (isWatched) => {
    const found: Process[] = [];
    const settled = new Map<number, number>();
    for (const pid of pids()) {
      const group = known.get(pid);
      const isSeen = group !== undefined;
      if (isSeen && group !== UNSETTLED && !isWatched(group)) {
        settled.set(pid, group);
        continue;
      }
      const process = readStat(pid);
      if (!process) continue;
      // A process joins its group shortly after its start: the first read may return the group of its parent.
      settled.set(pid, isSeen ? process.group : UNSETTLED);
      if (isWatched(process.group)) found.push(process);
    }
    known = settled;
    return found;
  };
}

/** The cached group of a process that has been read only once. */
const UNSETTLED = -1;

const pids = (): number[] =>
  readdirSync(PROC)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Returns undefined for a process that has ended. */
function readStat(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`${PROC}/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses, which may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, group: Number(fields[2]), kilobytes: Number(fields[21]) * pageKilobytes() };
  } catch {
    return undefined;
  }
}

let pageSize: number | undefined;
function pageKilobytes(): number {
  pageSize ??= Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' })) / 1024;
  return pageSize;
}

function readPs(): Process[] {
  const listing = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'pgid=', '-o', 'rss='], { encoding: 'utf8' });
  return listing
    .trim()
    .split('\n')
    .map((line) => {
      const [pid = 0, group = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, group, kilobytes };
    });
}

/**
 * Returns the processes to kill because their group exceeds its memory limit: the largest process of each such group, which the
 * kernel would select in a container.
 * @param limits MiB by group
 */
export function selectProcessesToEnd(limits: ReadonlyMap<number, number>, all: readonly Process[]): number[] {
  return [...limits].flatMap(([group, megabytes]) => {
    const members = all.filter((process) => process.group === group);
    const total = members.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
    if (total <= megabytes * 1024) return [];
    const largest = members.reduce((a, b) => (b.kilobytes > a.kilobytes ? b : a));
    return [largest.pid];
  });
}
