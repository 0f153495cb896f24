import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** A process of this machine. */
export interface Process {
  pid: number;
  /** The process group that it belongs to. */
  group: number;
  /** What it has in memory. */
  kilobytes: number;
}

const PROC = '/proc';

/** All processes. Linux is read directly: `ps` costs ten times as much, and this is done several times a second. */
export const processes: () => Process[] = existsSync(`${PROC}/self/stat`) ? fromProc : fromPs;

function fromProc(): Process[] {
  return readdirSync(PROC).flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`${PROC}/${name}/stat`, 'latin1');
      // The second field is the command in brackets, and may hold anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), group: Number(fields[2]), kilobytes: Number(fields[21]) * pageKilobytes() }];
    } catch {
      return []; // It has ended.
    }
  });
}

let pageSize: number | undefined;
function pageKilobytes(): number {
  pageSize ??= Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' })) / 1024;
  return pageSize;
}

function fromPs(): Process[] {
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
 * The processes to end so that no group has more in memory than it may: of each that does, the largest, as the kernel
 * does where a container has too little.
 * @param limits megabytes by group
 */
export function toEnd(limits: ReadonlyMap<number, number>, all: readonly Process[]): number[] {
  return [...limits].flatMap(([group, megabytes]) => {
    const members = all.filter((each) => each.group === group);
    const total = members.reduce((sum, { kilobytes }) => sum + kilobytes, 0);
    if (total <= megabytes * 1024) return [];
    const largest = members.reduce((a, b) => (b.kilobytes > a.kilobytes ? b : a));
    return [largest.pid];
  });
}
