import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Returns true if no process listens on a port. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    // All interfaces, because DynamoDB Local listens on all of them.
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
