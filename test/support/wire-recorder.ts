import { buffer } from 'node:stream/consumers';
import { type Emulator, listen } from '../../local/emulators/wire.ts';
import type { RecordedRequest } from './wire-model.ts';

/** Answers a recorded request where no emulator does. */
type Answer = (request: RecordedRequest) => Promise<unknown>;

/** Returns the service that a request is signed for. */
function signedFor(authorization: string | undefined, query: URLSearchParams): string {
  const scope = /Credential=([^, ]+)/.exec(authorization ?? '')?.[1] ?? query.get('X-Amz-Credential') ?? '';
  return scope.split('/').at(-2) ?? '';
}

/**
 * Starts an endpoint for all services that records every request, and passes it on to the emulator of the service it is
 * signed for.
 *
 * @param emulators base URLs by signing name
 * @param answers of other services, as JSON; one without an answer gets `{}`
 */
export async function startRecorder(
  emulators: Record<string, string>,
  answers: Record<string, Answer>,
): Promise<Emulator & { requests: RecordedRequest[] }> {
  const requests: RecordedRequest[] = [];
  const server = await listen(async (incoming, response) => {
    const { pathname: path, search, searchParams: query } = new URL(incoming.url ?? '/', 'http://localhost');
    const { method = 'GET' } = incoming;
    const headers = incoming.headers as RecordedRequest['headers'];
    const service = signedFor(headers.authorization, query);
    const request: RecordedRequest = { service, method, path, query, headers, body: await buffer(incoming) };
    requests.push(request);
    const emulator = emulators[service];
    if (!emulator) {
      const answer = await answers[service]?.(request);
      // S3 is the only one of these with deletions.
      if (method === 'DELETE') response.statusCode = 204;
      response.end(answer instanceof Buffer ? answer : JSON.stringify(answer ?? {}));
      return;
    }
    const { host: _, connection: __, 'content-length': ___, expect: ____, ...kept } = headers;
    const answer = await fetch(`${emulator}${path}${search}`, {
      method,
      headers: Object.entries(kept).map(([name, value]): [string, string] => [name, String(value)]),
      ...(request.body.length > 0 ? { body: request.body } : {}),
    });
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'connection')),
    );
    const body = Buffer.from(await answer.arrayBuffer());
    request.answer = { status: answer.status, headers: Object.fromEntries(answer.headers), body };
    response.end(body);
  });
  return { ...server, requests };
}
