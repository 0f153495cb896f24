import { Agent, request } from 'node:http';

/** Uses one connection per open request. */
export const agent = new Agent({ keepAlive: true, maxSockets: 1000 });

interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** A response with the milliseconds from the start of the request to its first byte and to its end. */
export interface TimedResponse {
  firstByteMs: number;
  totalMs: number;
  status: number;
  /** Seconds that a refused client should wait; 0 if the response does not say. */
  retryAfter: number;
}

/** Sends a request and reads its response to the end. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body, signal }: SendOptions = {},
): Promise<TimedResponse> {
  const began = performance.now();
  const { hostname, port, pathname, search, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: hostname,
      port,
      path: pathname + search,
      method,
      headers: { host, ...headers },
      ...(signal ? { signal } : {}),
    };
    const outgoing = request(options, (response) => {
      let first = 0;
      response.on('data', () => {
        first ||= performance.now() - began;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({
          firstByteMs: first,
          totalMs: performance.now() - began,
          status,
          retryAfter: Number(answered['retry-after'] ?? 0),
        });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

/**
 * Sends a streamed AI call.
 * @param content the user's message
 */
export const chat = (
  baseUrl: string,
  secretKey: string,
  content: string,
  signal?: AbortSignal,
): Promise<TimedResponse> =>
  send(`${baseUrl}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-5',
      stream: true,
      max_tokens: 500,
      messages: [{ role: 'user', content }],
    }),
    ...(signal ? { signal } : {}),
  });
