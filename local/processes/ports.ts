import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { LOOPBACK } from '../gateway/allowed-hosts.ts';

/** Returns true if no process listens on a port. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    // All interfaces, because another process may listen on any of them.
    probe.listen(port, () => probe.close(() => resolve(true)));
  });

/**
 * Ports come from blocks below the range of outgoing connections. A process claims a block by listening on its first port, so that
 * no other run on the machine uses a port that this run has chosen but not yet opened. The operating system releases the claim when
 * the process ends.
 */
const FIRST_BLOCK = 12_000;
const BLOCK_SIZE = 100;
const BLOCKS = 200;

const claimed = new Set<number>();
/** Ports of the claimed blocks, the least recently returned first. */
const candidates: number[] = [];

const claim = (block: number): Promise<boolean> =>
  new Promise((resolve) => {
    const guard = createServer((socket) => socket.destroy());
    guard.once('error', () => resolve(false));
    guard.listen(block, LOOPBACK, () => {
      guard.unref();
      claimed.add(block);
      for (let port = block + 1; port < block + BLOCK_SIZE; port++) candidates.push(port);
      resolve(true);
    });
  });

/** Returns a free port that this function does not return in any other process. It repeats a port after 98 others at the earliest. */
export async function freePort(): Promise<number> {
  for (;;) {
    for (let remaining = candidates.length; remaining > 0; remaining--) {
      const port = candidates.shift();
      if (!port) break;
      candidates.push(port);
      if (await isFree(port)) return port;
    }
    while (!(await claim(FIRST_BLOCK + BLOCK_SIZE * randomInt(BLOCKS))));
  }
}

/** Returns true if this process can use a port that `freePort` returned in an earlier process. */
export async function reusePort(port: number): Promise<boolean> {
  const block = port - (port % BLOCK_SIZE);
  if (!(claimed.has(block) || (await claim(block)))) return false;
  candidates.push(...candidates.splice(candidates.indexOf(port), 1));
  return await isFree(port);
}

/** Returns the addresses at which other machines can reach this one. */
export const outsideAddresses = (): string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, all = []]) =>
    all.filter(({ internal }) => !internal).map(({ address, scopeid }) => (scopeid ? `${address}%${name}` : address)),
  );
