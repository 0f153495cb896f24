/** A minimal proxy that only forwards in both directions. UPSTREAM is a base URL; listens on PORT. */
import { Agent, createServer, request } from 'node:http';

const upstream = new URL(process.env.UPSTREAM ?? '');
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, headers } = incoming;
  const { hostname, port } = upstream;
  const forwarded = request({ hostname, port, method, path: incoming.url, headers, agent }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) forwarded.destroy();
  });
  incoming.pipe(forwarded);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
