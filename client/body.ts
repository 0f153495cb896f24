import { ConnectionError } from './errors.ts';

/** Reads a whole body. Throws {@link ConnectionError} if the connection breaks, or the signal's reason. */
export async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw new ConnectionError('The connection was lost before the response was complete.', { cause });
  }
}

/** Parses JSON. Throws {@link ConnectionError} for any other text, which comes from a proxy instead of the API. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConnectionError(`The response is not JSON: ${text.slice(0, 200)}`, { cause });
  }
}

/** Reads a body as JSON. Throws {@link ConnectionError} if the connection breaks or the body is not JSON, or the signal's reason. */
export const readJson = async (response: Response, signal: AbortSignal | undefined): Promise<unknown> =>
  parseJson(await readText(response, signal));
