import type { IncomingMessage, ServerResponse } from 'node:http';
import { AI_PROVIDER_IDS } from '../../../contract/enums.ts';
import { listen, type StandIn } from '../wire.ts';
import { anthropic } from './anthropic.ts';
import { openAi } from './openai.ts';
import { HUMAN_PACE, type Pace } from './reply.ts';

/** Where the stand-in of each provider is, as that provider's own SDK takes a base URL. */
const pathOf = (id: string): string => (id === 'anthropic' ? '/anthropic' : `/${id}/v1`);

/**
 * The variables that point the gateway at the stand-ins, and what the shell says instead: a base URL of its own, or a
 * provider's real key, which means the real provider.
 */
export function aiVariables(url: string, shell: Record<string, string>): Record<string, string> {
  const given: Record<string, string> = JSON.parse(shell.AI_PROVIDER_BASE_URLS || '{}');
  const keyOf = (id: string) => `${id.toUpperCase()}_API_KEY`;
  const local = AI_PROVIDER_IDS.filter((id) => !shell[keyOf(id)]).map((id) => [id, url + pathOf(id)]);
  return { ...shell, AI_PROVIDER_BASE_URLS: JSON.stringify({ ...Object.fromEntries(local), ...given }) };
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

async function answer(request: IncomingMessage, response: ServerResponse, pace: Pace): Promise<void> {
  const { url = '/', headers } = request;
  const body = await read(request);
  if (url === `${pathOf('anthropic')}/v1/messages`) {
    return anthropic(body, String(headers['x-api-key'] ?? ''), response, pace);
  }
  if (AI_PROVIDER_IDS.some((id) => id !== 'anthropic' && url === `${pathOf(id)}/chat/completions`)) {
    return openAi(body, String(headers.authorization ?? '').replace(/^Bearer /, ''), response, pace);
  }
  response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Unknown request URL"}}');
}

/** All AI providers, in their own wire formats: they answer plausibly, at a human pace, and fail on request. */
export async function startAiStandIns({ port, pace = HUMAN_PACE }: { port?: number; pace?: Pace }): Promise<StandIn> {
  return await listen((request, response) => answer(request, response, pace), port);
}
