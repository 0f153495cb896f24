/** The process that emulates SQS and S3: `node queue-server.ts <port> <region> [data directory]`. */
import { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { Server } from 'node:net';
import { startFauxqs } from 'fauxqs';
import { isLoopbackHost, LOOPBACK } from '../own-hosts.ts';

const [port, region, dataDir] = process.argv.slice(2);

// fauxqs listens on all interfaces and answers every host name, without options to change that.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...rest: unknown[]) {
  const [first] = rest;
  if (typeof first === 'object' && first !== null && 'port' in first) rest[0] = { ...first, host: LOOPBACK };
  return Reflect.apply(listen, this, rest);
};

const { emit } = HttpServer.prototype;
HttpServer.prototype.emit = function (this: HttpServer, event: string | symbol, ...rest: unknown[]): boolean {
  const [request, response] = rest;
  const isForeign = event === 'request' && request instanceof IncomingMessage && !isLoopbackHost(request.headers.host);
  if (!isForeign || !(response instanceof ServerResponse)) return Reflect.apply(emit, this, [event, ...rest]);
  request.resume();
  response.writeHead(403, { 'content-type': 'text/plain' }).end('This host name is not the emulator’s.\n');
  return true;
};

await startFauxqs({
  port: Number(port),
  logger: false,
  defaultRegion: region ?? 'us-east-1',
  ...(dataDir ? { dataDir } : {}),
});
