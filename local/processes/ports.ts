import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Returns true if no process listens on a port. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    // All interfaces, because another process may listen on any of them.
    probe.listen(port, () => probe.close(() => answer(true)));
  });

/**
 * Returns a free port below the range of outgoing connections: one of those could take the port between this check and
 * the engine's start.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (await isFree(port)) return port;
  }
}

/** Time limit of a connection to an address of this machine, in milliseconds. */
const CONNECT_TIMEOUT_MS = 500;

/** Returns true if a process accepts connections to a port of an address. */
const accepts = (port: number, host: string): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect({ port, host });
    const end = (accepted: boolean) => {
      socket.destroy();
      answer(accepted);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(false));
  });

/** Returns the addresses under which other machines reach this one. */
export const outsideAddresses = (): string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, all = []]) =>
    all.filter(({ internal }) => !internal).map(({ address, scopeid }) => (scopeid ? `${address}%${name}` : address)),
  );

/** Returns true if a port accepts connections at one of this machine's addresses other than loopback. */
export async function isReachableFromOutside(port: number): Promise<boolean> {
  return (await Promise.all(outsideAddresses().map((host) => accepts(port, host)))).includes(true);
}
