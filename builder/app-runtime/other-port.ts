import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';

/** Time for an application to also listen on its assigned port, in milliseconds: shorter than the time that a release has to answer. */
const WAIT_MS = 5000;
/** Node's diagnostics channel for servers that start to listen (https://nodejs.org/api/diagnostics_channel.html#net). */
const LISTENING = 'tracing:net.server.listen:asyncEnd';

/** Addresses at which a server also receives the requests of the platform, which arrive at 127.0.0.1. */
const REACHABLE = ['127.0.0.1', '0.0.0.0', '::'];

/**
 * Prints a line if a process of the application listens on another port, or at an address of its machine that receives no requests, while
 * nothing else listens on the assigned port: the application's own output may not say so. The failure reason of a release is read from the
 * line (domain/deployments/release-failure.ts).
 *
 * @param port the assigned port
 * @returns a function that stops the check
 */
export function reportOtherPort(port: number, write: (text: string) => void, waitMs = WAIT_MS): () => void {
  const onListening = (message: unknown): void => {
    const address = (message as { server: Server }).server.address();
    if (address === null || typeof address === 'string') return;
    if (address.port === port && REACHABLE.includes(address.address)) return;
    end();
    const line =
      address.port === port
        ? `The application listens on PORT (${port}) at ${address.address} alone, and nothing listens at 127.0.0.1.\n`
        : `The application listens on port ${address.port}, and nothing listens on PORT (${port}).\n`;
    setTimeout(async () => {
      // Imported only here, because most applications never need it.
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
