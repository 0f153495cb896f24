import { parseJson, readJson } from './body.ts';
import { ApiError, ConnectionError, isErrorBody } from './errors.ts';
import type { ChatCompletion, ChatCompletionChunk } from './operations.generated.ts';

/**
 * Reads a whole chat completion. Throws {@link ApiError} even for a response that started as a success, to keep the connection alive,
 * before the call failed.
 */
export async function readCompletion(response: Response, signal: AbortSignal | undefined): Promise<ChatCompletion> {
  return unlessError(await readJson(response, signal), response.headers) as ChatCompletion;
}

/**
 * Reads the chunks of a streamed chat completion. Leaving the loop ends the call. Throws {@link ApiError} if the stream reports a
 * failure, {@link ConnectionError} if it breaks before its end, or the signal's reason.
 */
export async function* readChunks(
  response: Response,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChatCompletionChunk, void, undefined> {
  const { body, headers } = response;
  if (!body) throw new ConnectionError('The response has no body.');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (signal?.aborted) throw signal.reason;
        throw new ConnectionError('The connection was lost before the stream was complete.', { cause });
      });
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = dataOf(frame);
        if (data === '[DONE]') return;
        if (data !== '') yield unlessError(parseJson(data), headers) as ChatCompletionChunk;
      }
      if (done) throw new ConnectionError('The stream ended before it was complete.');
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const dataOf = (frame: string): string =>
  frame
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
    .join('\n');

/** Returns the body of a successful response. Throws {@link ApiError} for the body of an error. */
function unlessError(body: unknown, headers: Headers): unknown {
  if (isErrorBody(body)) throw new ApiError(body.error, headers);
  return body;
}
