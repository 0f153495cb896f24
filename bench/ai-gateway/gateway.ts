/**
 * The gateway as one process that serves many calls: the very code of the Lambda behind a plain HTTP server, with its
 * table. Where it listens: PORT; everything else as a function's environment says.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Event } from '../../runtime/answer.ts';
import { chat } from '../../runtime/chat.ts';

// What a function says goes to its log; here it is written, and goes nowhere.
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const leaving = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) leaving.abort();
    });
    const { url = '/', method = 'GET', headers, socket } = request;
    const http = { method, path: url, sourceIp: socket.remoteAddress ?? '' };
    const event: unknown = {
      ...{ rawPath: url, headers, body: Buffer.concat(pieces).toString(), isBase64Encoded: false },
      requestContext: { http, requestId: randomUUID() },
    };
    const open = ({ statusCode, headers: answered }: { statusCode: number; headers: Record<string, string> }) =>
      response.writeHead(statusCode, answered);
    chat(event as Event, open, leaving.signal).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
