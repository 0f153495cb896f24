import { parseJson } from './body.ts';
import { ApiError, ConnectionError, isErrorBody } from './errors.ts';
import type { ChatCompletionChunk } from './operations.generated.ts';

/**
 * Reads the chunks of a streamed chat completion. Leaving the loop ends the call. Throws {@link ApiError} where the stream says
 * that it failed, {@link ConnectionError} where it breaks off before its end, or the signal's reason.
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
        if (signal?.aborted) throw cause;
        throw new ConnectionError('The connection was lost before the stream was complete.', { cause });
      });
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = dataOf(frame);
        if (data === '[DONE]') return;
        if (data !== '') yield parse(data, headers);
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

function parse(data: string, headers: Headers): ChatCompletionChunk {
  const parsed = parseJson(data);
  if (isErrorBody(parsed)) throw new ApiError(parsed.error, headers);
  return parsed as ChatCompletionChunk;
}
