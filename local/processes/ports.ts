import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Whether nobody listens on a port. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((answer) => {
    const probe = createServer();
    probe.once('error', () => answer(false));
    // All interfaces: DynamoDB Local takes them all.
    probe.listen(port, () => probe.close(() => answer(true)));
  });

/**
 * A port that nobody listens on, from below the range that the system gives outgoing connections: one of those could take
 * a port between our look at it and its engine's start.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (await isFree(port)) return port;
  }
}
