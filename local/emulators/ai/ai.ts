import type { IncomingMessage, ServerResponse } from 'node:http';
import { AI_PROVIDER_IDS } from '../../../contract/enums.ts';
import { type Emulator, listen } from '../wire.ts';
import { handleMessages, refuseWithoutVersion } from './anthropic.ts';
import { handleCompletions } from './openai.ts';
import { QUIRKS } from './quirks.ts';
import { HUMAN_PACE, type Pace } from './reply.ts';

/** Returns the path of a provider's emulator, relative to which the provider's SDK resolves its requests. */
const pathOf = (id: string): string => (id === 'anthropic' ? '/anthropic' : `/${id}/v1`);

const keyOf = (id: string) => `${id.toUpperCase()}_API_KEY`;

/** Returns the platform's key for each provider: the shell's, or else a key that the emulators accept. */
export const aiKeys = (shell: Record<string, string>): Record<string, string> =>
  Object.fromEntries(AI_PROVIDER_IDS.map((id) => [id, shell[keyOf(id)] || `sk-local-${id}-0123456789`]));

/**
 * Returns the variables that point the gateway at the emulators. The shell takes precedence: it may set another base URL, or
 * a provider's real API key, which selects the real provider.
 */
export function aiVariables(url: string, shell: Record<string, string>): Record<string, string> {
  const configured: Record<string, string> = JSON.parse(shell.AI_PROVIDER_BASE_URLS || '{}');
  const local = AI_PROVIDER_IDS.filter((id) => !shell[keyOf(id)]).map((id) => [id, url + pathOf(id)]);
  return { ...shell, AI_PROVIDER_BASE_URLS: JSON.stringify({ ...Object.fromEntries(local), ...configured }) };
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

async function handleRequest(request: IncomingMessage, response: ServerResponse, pace: Pace): Promise<void> {
  const { url = '/', headers } = request;
  const body = await read(request);
  const id = AI_PROVIDER_IDS.find((provider) => url.startsWith(`${pathOf(provider)}/`)) ?? '';
  const quirks = QUIRKS[id] ?? {};
  if (id === 'anthropic' && url === `${pathOf(id)}/v1/messages`) {
    if (headers['anthropic-version'] === undefined) return refuseWithoutVersion(response);
    return handleMessages(body, String(headers['x-api-key'] ?? ''), response, pace, quirks);
  }
  if (id !== 'anthropic' && url === `${pathOf(id)}/chat/completions`) {
    const key = String(headers.authorization ?? '').replace(/^Bearer /, '');
    return handleCompletions(body, key, response, pace, quirks);
  }
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Unknown request URL"}}');
}

/**
 * Starts emulators of all AI providers with their wire formats. They reply at the pace of a model and fail on request
 * (`requestedFault` in reply.ts).
 */
export async function startAiEmulators({ port, pace = HUMAN_PACE }: { port?: number; pace?: Pace }): Promise<Emulator> {
  return await listen((request, response) => handleRequest(request, response, pace), port);
}
