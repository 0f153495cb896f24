import { Agent, request } from 'node:http';

/** One connection for each open request. */
export const agent = new Agent({ keepAlive: true, maxSockets: 1000 });

interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Answer to a request. Times in milliseconds from the beginning of the request: to the first byte, and to the end. */
export interface TimedResponse {
  firstByteMs: number;
  totalMs: number;
  status: number;
  /** Seconds that a refused client should wait; 0 if the answer does not say. */
  retryAfter: number;
}

/** Sends a request and reads its answer to the end. */
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
    const outgoing = request(options, (answer) => {
      let first = 0;
      answer.on('data', () => {
        first ||= performance.now() - began;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers: answered } = answer;
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

/** Sends a streamed AI call. @param content the message of the user */
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
