/**
 * Preloaded into every hosted application before its own code (`node --require`): servers that would listen on all
 * addresses listen on 127.0.0.1 instead. On AWS an application is reachable only through its function; here only
 * through the public port. JavaScript, because it also runs on Node 20; CommonJS, because any `--import` turns off loaders that applications
 * install with `--require` (docs/decisions/0039-any-node-project.md).
 */
const { Server } = require('node:net');

const HERE = '127.0.0.1';
const isEverywhere = (host) =>
  host === undefined || host === null || host === '' || host === '0.0.0.0' || host === '::';
const isPort = (value) => typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));

/**
 * Returns the arguments of `server.listen` (https://nodejs.org/api/net.html#serverlisten), with a host if they contain
 * none.
 */
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
