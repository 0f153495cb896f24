import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { ChatRequest } from '../../contract/ai/chat.ts';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import { ChatCall, type Gateway } from '../../domain/ai/call.ts';
import { builtInOffer } from '../../domain/ai/models.ts';
import { newId } from '../../domain/ids.ts';
import type { FlagStates } from '../../domain/switches/flags.ts';
import { aiVariables, startAiEmulators } from '../../local/emulators/ai/ai.ts';
import type { Emulator } from '../../local/emulators/wire.ts';
import { createTransport } from '../../providers/ai/transport.ts';
import type { PlatformKey } from '../../providers/platform-keys/platform-key.ts';
import type { Table } from '../../table/table.ts';
import { keptKey } from './platform-key.ts';

let emulators: Emulator;
/** A provider of the test's own: what it does with a request, and its address. */
export const upstream: {
  act: (response: ServerResponse, body: Record<string, unknown>, key: string) => void;
  url: string;
} = { act: (response) => void response.end(), url: '' };
const custom = createServer(async (request, response) => {
  const body = (await json(request)) as Record<string, unknown>;
  const { authorization, 'x-api-key': apiKey = authorization } = request.headers;
  upstream.act(response, body, String(apiKey));
});

/** Starts the emulated providers and `upstream` for the tests of a file. */
export function startProviders(): void {
  beforeAll(async () => {
    emulators = await startAiEmulators({ pace: { first: 1, next: 0 } });
    custom.listen(0, '127.0.0.1');
    await once(custom, 'listening');
    const address = custom.address();
    upstream.url = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  });
  afterAll(async () => {
    custom.closeAllConnections();
    custom.close();
    await emulators.stop();
  });
}

export interface World {
  /** Available credits in rand. */
  credits?: number;
  saved?: boolean;
  /** Address of every provider; the emulated ones unless given. */
  baseUrl?: string;
  /** The platform's key for every provider. */
  platformKey?: PlatformKey;
  /** Gives up soon: for providers that hang. Otherwise a busy machine has half a minute for each step. */
  impatient?: boolean;
  /** Milliseconds until a response begins without its answer. */
  keepAliveMs?: number;
  /** Operators' settings of feature flags. */
  flags?: FlagStates;
  /** Of a call's entry and its line of the request log, the table takes the line alone. */
  losesEntries?: boolean;
  /** The table does not take the line of the request log. */
  losesLines?: boolean;
  /** Takes the place of the connections to providers. */
  transport?: Gateway['transport'];
  /** Called with each piece of the response. */
  onPiece?: (piece: string) => void;
}

const emulatedUrls = (): Gateway['baseUrls'] => JSON.parse(aiVariables(emulators.url, {}).AI_PROVIDER_BASE_URLS ?? '');

const OWN_KEY = 'sk-own-0123456789abcdef';

/** The day whose list prices calls cost: prices of later days do not change what tests measure. */
export const PRICED_AT = new Date('2026-11-01');

const PATIENT = { connect: 30_000, firstByte: 30_000, silence: 30_000, call: 60_000 };
const IMPATIENT = { connect: 500, firstByte: 1_200, silence: 700, call: 10_000 };

/** The parts of an item of the request log that the recording table reads. */
interface Logged {
  id?: { S: string };
  amountMicroRand?: { N: string };
  code?: { S?: string };
}

/** The parts of a write that the recording table reads. */
interface RecordedWrite {
  kind: string;
  input: {
    Item?: Logged & { outputTokens?: { N: string } };
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, { N?: string }>;
  };
}

function gateway({
  credits = 100,
  saved = false,
  baseUrl,
  platformKey = keptKey(OWN_KEY),
  keepAliveMs = 60_000,
  impatient = false,
  flags = {},
  losesEntries = false,
  losesLines = false,
  transport = createTransport(impatient ? IMPATIENT : PATIENT),
}: World) {
  const done: string[] = [];
  /** The request log: what each line says that its call cost, and its error code. */
  const lines = new Map<string | undefined, number>();
  const codes = new Map<string | undefined, string | undefined>();
  const log = ({ id, amountMicroRand, code }: Logged = {}) => {
    lines.set(id?.S, Number(amountMicroRand?.N));
    codes.set(id?.S, code?.S);
  };
  let available = credits * 1_000_000;
  let settled = 0;
  const table = {
    updateReturningChanged: async ({ kind, input }: RecordedWrite) => {
      if (kind === 'Put') {
        if (losesLines) throw new Error('The table lost a line');
        log(input.Item);
        return {};
      }
      const names = Object.values(input.ExpressionAttributeNames ?? {});
      if (!names.includes('availableMicroRand')) return {};
      const values = Object.values(input.ExpressionAttributeValues ?? {}).map(({ N = '0' }) => Number(N));
      // A hold adds one to the open calls; the end of one takes one away, after a settlement or in place of it.
      if (values.includes(-1)) {
        if (settled === 0) done.push('release');
        settled = 0;
      } else done.push('hold');
      available += Math.min(...values);
      return { availableMicroRand: available };
    },
    putAll: async ([entry, line]: (Logged & { outputTokens?: { N: string } })[]) => {
      log(line);
      if (losesEntries) throw new Error('The table left 1 of 2 items unwritten');
      settled += 1;
      done.push(`settle ${entry?.outputTokens?.N}`);
    },
    transact: async ([entry]: RecordedWrite[]) => {
      done.push(`settle ${entry?.input.Item?.outputTokens?.N}`);
    },
    get: async () => undefined,
  };
  const deps: Gateway = {
    table: table as unknown as Table,
    now: () => new Date(),
    newId,
    settings: {
      publicUrl: '',
      appsDomain: '',
      hostArnOf: (id) => id,
      allowLocalWebhooks: false,
      allowLocalRepositories: false,
      webhookRetrySchedule: [],
    },
    commit: async (_writes, output) => output,
    offer: async () => builtInOffer(18, PRICED_AT),
    platformKey: () => platformKey,
    keyRing: { get: () => (saved ? 'sk-saved-0123456789' : undefined), open: async () => undefined },
    transport,
    keepAliveMs,
    switches: async () => ({}),
    flags: async () => flags,
    baseUrls: baseUrl ? Object.fromEntries(AI_PROVIDER_IDS.map((id) => [id, baseUrl])) : emulatedUrls(),
  };
  return { deps, done, lines, codes };
}

/**
 * Makes a call end to end, with a table that only records its requests.
 *
 * @param leaveAfter the caller leaves after so many pieces of the response, or when this resolves
 */
export async function call(body: object, world: World = {}, leaveAfter?: number | Promise<unknown>) {
  const { deps, done, lines, codes } = gateway(world);
  const text = JSON.stringify(body);
  const leaving = new AbortController();
  if (typeof leaveAfter === 'object') void leaveAfter.then(() => leaving.abort());
  const out: Buffer[] = [];
  let headers: Record<string, string> = {};
  let ended = false;
  const outlet = {
    begin: (given: Record<string, string>) => {
      headers = given;
    },
    write: (bytes: Buffer) => {
      out.push(bytes);
      world.onPiece?.(bytes.toString());
      if (typeof leaveAfter === 'number' && out.length >= leaveAfter) leaving.abort();
      return undefined;
    },
    end: () => {
      ended = true;
      done.push('end');
    },
    signal: leaving.signal,
  };
  const request = ChatRequest().parse(JSON.parse(text));
  const running = new ChatCall(
    deps,
    { accountId: 'acc_1', keyId: 'key_1', requestId: 'req_1', startedAt: performance.now(), request, text },
    outlet,
  );
  const apiError = await running.run().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (apiError !== undefined && !(apiError instanceof ApiError)) throw apiError;
  const doneBeforeEnd = [...done];
  await running.finish({ status: apiError?.status ?? 200, code: apiError?.code, durationMs: 1 });
  const said = Buffer.concat(out).toString();
  const frames = said
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => (frame === 'data: [DONE]' ? '[DONE]' : JSON.parse(frame.slice(6))));
  return {
    apiError,
    said,
    frames,
    headers,
    ended,
    done,
    doneBeforeEnd,
    lines: [...lines.values()],
    codes: [...codes.values()],
    report: running.report,
  };
}

export const MODELS = { openai: 'openai/gpt-4o', anthropic: 'anthropic/claude-sonnet-4-5' };
export const user = (content: unknown) => [{ role: 'user', content }];
export const contentOf = (frames: { choices?: { delta?: { content?: string } }[] }[]) =>
  frames.map((frame) => frame.choices?.[0]?.delta?.content ?? '').join('');
