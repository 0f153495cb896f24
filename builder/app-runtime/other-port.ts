import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';

/** Time in which an application may listen on its own port too, in milliseconds: a part of what a release has to answer. */
const WAIT_MS = 5000;
/** Node's channel of servers that began to listen (https://nodejs.org/api/diagnostics_channel.html#net). */
const LISTENING = 'tracing:net.server.listen:asyncEnd';

/**
 * Prints a line where a process of the application listens on another port and nothing on the application's: nothing that it prints needs
 * to name the port. The reason of a failed release is read from the line (domain/deployments/release-failure.ts).
 *
 * @param port of the application
 * @returns a function that ends it
 */
export function reportOtherPort(port: number, write: (text: string) => void, waitMs = WAIT_MS): () => void {
  const onListening = (message: unknown): void => {
    const address = (message as { server: Server }).server.address();
    if (address === null || typeof address === 'string' || address.port === port) return;
    end();
    const line = `The application listens on port ${address.port}, and nothing listens on PORT (${port}).\n`;
    setTimeout(async () => {
      // Most applications never need it.
      const { connect } = await import('node:net');
      const probe = connect(port, '127.0.0.1');
      probe.once('connect', () => probe.destroy());
      probe.once('error', () => write(line));
    }, waitMs).unref();
  };
  const end = (): void => void unsubscribe(LISTENING, onListening);
  subscribe(LISTENING, onListening);
  return end;
}
