import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A listening TCP socket. */
export interface Listener {
  pid: number;
  /** Address in hexadecimal, as the kernel writes it. */
  address: string;
  port: number;
}

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = '0A';

/** Returns the value of a read that fails when the process has ended meanwhile. */
const whileItRuns = <T>(read: () => T, gone: T): T => {
  try {
    return read();
  } catch {
    return gone;
  }
};

const processIds = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
const parentOf = (pid: number): number =>
  Number(
    whileItRuns(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
      .split(') ')[1]
      ?.split(' ')[1],
  );

/** Returns the listening sockets by their inode. */
function readSockets(): Map<string, Omit<Listener, 'pid'>> {
  const lines = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1));
  const found = new Map<string, Omit<Listener, 'pid'>>();
  for (const line of lines) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state === LISTEN) found.set(inode, { address, port: Number.parseInt(port, 16) });
  }
  return found;
}

/**
 * Returns every socket on which the program that listens on a port listens, or one of its descendants. Linux only.
 */
export function listenersOfProgramAt(port: number): Listener[] {
  const sockets = readSockets();
  const all = processIds().flatMap((pid) =>
    whileItRuns(() => readdirSync(`/proc/${pid}/fd`), [] as string[]).flatMap((fd) => {
      const link = whileItRuns(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '');
      const socket = sockets.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '');
      return socket ? [{ pid, ...socket }] : [];
    }),
  );
  const root = all.find((each) => each.port === port)?.pid;
  const belongs = (pid: number): boolean => pid === root || (pid > 1 && belongs(parentOf(pid)));
  return all.filter(({ pid }) => belongs(pid));
}

/** Returns true if an address of {@link Listener} is loopback: 127.0.0.0/8 in the host's byte order, mapped or not, or ::1. */
export const isLoopback = (address: string): boolean =>
  /^(?:0{16}FFFF0000)?[0-9A-F]{6}7F$/.test(address) || address === '00000000000000000000000001000000';
