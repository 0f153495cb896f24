import type { Agent as HttpAgent, request } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * A connection that was idle for longer, in milliseconds, may have been closed while Lambda had frozen this process, which
 * did not hear of it: a request over it would wait for its timeout.
 */
const MAX_IDLE_MS = 20_000;

interface Connection {
  request: typeof request;
  agent: HttpAgent;
}

/**
 * Returns a function that gives what makes requests over kept connections, which all its callers share. It loads node:https or
 * node:http with the first call, because loading takes time at cold start.
 * @param maxSockets connections to one host, at most
 */
export function keepConnections(maxSockets = Number.POSITIVE_INFINITY): (protocol: string) => Promise<Connection> {
  const connections = new Map<string, Promise<Connection>>();
  const idleSince = new WeakMap<Duplex, number>();

  async function load(protocol: string): Promise<Connection> {
    const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
    const agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'lifo' });
    agent.on('free', (socket: Duplex) => idleSince.set(socket, Date.now()));
    return { request, agent };
  }

  return async (protocol) => {
    const found = connections.get(protocol) ?? load(protocol);
    connections.set(protocol, found);
    const connection = await found;
    const oldest = Date.now() - MAX_IDLE_MS;
    for (const sockets of Object.values(connection.agent.freeSockets))
      for (const socket of sockets ?? []) if ((idleSince.get(socket) ?? 0) < oldest) socket.destroy();
    return connection;
  };
}
