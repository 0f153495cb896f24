/**
 * A thread that hosts execution environments (environment.ts) of several functions. Communicates with the main thread
 * (threads.ts) by messages.
 */
import { subscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { resolveLocalhostNames } from '../emulators/localhost-names.ts';
import { current, Environment } from './environment.ts';
import type { FromHost, ToHost } from './messages.ts';
import { awslambda } from './response-stream.ts';

const port = parentPort;
if (!port) throw new Error('host.ts must run in a worker thread');
const send = (message: FromHost): void => port.postMessage(message);

// A thread does not write its compile cache when it is ended.
flushCompileCache();
resolveLocalhostNames();
Object.assign(globalThis, { awslambda });

// https://nodejs.org/api/diagnostics_channel.html#net: published when code begins to connect, before it does.
subscribe('net.client.socket', (message) => {
  const socket = typeof message === 'object' && message !== null && 'socket' in message ? message.socket : undefined;
  if (socket instanceof Socket) current.getStore()?.trackConnection(socket);
});

// An error that belongs to no environment ends the thread, and fails all invocations in it.
const onUncaughtError = (error: unknown, errorType?: string): void => {
  const environment = current.getStore();
  if (!environment) throw error;
  environment.crash(error, errorType);
};
process.on('uncaughtException', (error) => onUncaughtError(error));
process.on('unhandledRejection', (reason) => onUncaughtError(reason, 'Runtime.UnhandledPromiseRejection'));

const environments = new Map<number, Environment>();

port.on('message', (received: ToHost) => {
  if ('ping' in received) {
    send({ pong: true });
    return;
  }
  const { environment: number, message } = received;
  const environment = environments.get(number);
  if (message.type === 'open') {
    environments.set(number, new Environment(message.settings, (sent) => send({ environment: number, message: sent })));
  } else if (message.type === 'close') {
    environment?.end();
    environments.delete(number);
  } else if (message.type === 'invoke') environment?.invoke(message);
  else environment?.onReaderMessage(message);
});
