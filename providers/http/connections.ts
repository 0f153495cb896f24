import type { Agent as HttpAgent, request } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Maximum idle time of a connection, in milliseconds. The server may have closed an older connection while Lambda had frozen this process;
 * a request over it would wait until its timeout.
 */
const MAX_IDLE_MS = 20_000;

interface Connection {
  request: typeof request;
  agent: HttpAgent;
}

/**
 * Returns a function that returns a request function and an agent, whose kept-alive connections all callers share. It loads node:https or
 * node:http at the first call, because loading them takes time at cold start.
 * @param maxSockets maximum connections to one host
 */
export function createConnectionPool(maxSockets = Number.POSITIVE_INFINITY): (protocol: string) => Promise<Connection> {
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
