/**
 * Loaded into every hosted application before its own code (`node --import`): what would listen on all of the machine's
 * addresses listens on 127.0.0.1. On AWS nobody reaches an application but through its function; here nobody on the
 * network does but through the one public port. JavaScript, because Node 20 runs it too.
 */
import { Server } from 'node:net';

const HERE = '127.0.0.1';
const isEverywhere = (host) =>
  host === undefined || host === null || host === '' || host === '0.0.0.0' || host === '::';
const isPort = (value) => typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));

/** The arguments of `server.listen` (https://nodejs.org/api/net.html#serverlisten), with a host where they leave it open. */
function narrowed([first, ...rest]) {
  if (typeof first === 'object' && first !== null && isPort(first.port)) {
    return [isEverywhere(first.host) ? { ...first, host: HERE } : first, ...rest];
  }
  if (!isPort(first)) return [first, ...rest];
  if (typeof rest[0] !== 'string') return [first, HERE, ...rest];
  return isEverywhere(rest[0]) ? [first, HERE, ...rest.slice(1)] : [first, ...rest];
}

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  return listen.apply(this, narrowed(args));
};
