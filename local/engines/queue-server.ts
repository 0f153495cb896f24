/** The process that emulates SQS and S3: `node queue-server.ts <port> <region> [data directory]`. */
import { Server } from 'node:net';
import { startFauxqs } from 'fauxqs';

const [port, region, dataDir] = process.argv.slice(2);

// fauxqs listens on all interfaces without an option to change that; only the platform's public port may be reachable.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...rest: unknown[]) {
  const [first] = rest;
  if (typeof first === 'object' && first !== null && 'port' in first) rest[0] = { ...first, host: '127.0.0.1' };
  return Reflect.apply(listen, this, rest);
};

await startFauxqs({
  port: Number(port),
  logger: false,
  defaultRegion: region ?? 'us-east-1',
  ...(dataDir ? { dataDir } : {}),
});
