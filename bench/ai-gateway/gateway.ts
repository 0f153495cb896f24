/**
 * Serves the AI gateway's Lambda code behind a plain HTTP server: one process with concurrent calls, with a table. Listens on PORT; all
 * other settings are a function's environment variables. `GET /table-calls` returns the number of table calls so far.
 */
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { type ClientRequest, createServer } from 'node:http';
import { chat } from '../../runtime/http/chat.ts';
import type { Event } from '../../runtime/http/response.ts';

let tableCalls = 0;
// https://nodejs.org/api/diagnostics_channel.html#http: published for each request of a client.
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: ClientRequest };
  // AWS's JSON protocol has one path. Apart from table calls, only the one read of the provider keys uses it.
  if (request.path === '/') tableCalls += 1;
});

// The caller discards stdout, so the function's log lines are written but not stored.
const server = createServer((request, response) => {
  if (request.url === '/table-calls') {
    response.end(String(tableCalls));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (piece: Buffer) => chunks.push(piece));
  request.on('end', () => {
    const disconnected = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) disconnected.abort();
    });
    const { url = '/', method = 'GET', headers, socket } = request;
    const http = { method, path: url, sourceIp: socket.remoteAddress ?? '' };
    const event: unknown = {
      rawPath: url,
      headers,
      body: Buffer.concat(chunks).toString(),
      isBase64Encoded: false,
      requestContext: { http, requestId: randomUUID() },
    };
    const writeHead = ({ statusCode, headers: answered }: { statusCode: number; headers: Record<string, string> }) =>
      response.writeHead(statusCode, answered);
    chat(event as Event, writeHead, disconnected.signal).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
