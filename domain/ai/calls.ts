import type { listAiCalls as ListRoute, getAiProviderStats as StatsRoute } from '../../contract/ai/calls.ts';
import type { Input, Output } from '../../contract/route.ts';
import { truncate } from '../../contract/text.ts';
import { AiCall, aiCallsOf } from '../../table/entities/ai.ts';
import { create } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody, readPage } from '../pages.ts';
import { percentile } from '../percentile.ts';
import { DAY_MS, timestampBefore } from '../time.ts';
import type { Call } from './call.ts';
import type { Report } from './report.ts';

/** Maximum number of calls that one request reads. */
const MAX_READ = 5000;
const PAGE_SIZE = 500;
/** Maximum length of a recorded model name, which is the caller's input. */
const MAX_MODEL_LENGTH = 128;

/** Result of a call as its caller saw it. */
export interface CallOutcome {
  /** HTTP status; 499 if the caller disconnected before the response began. */
  status: number;
  code: string | undefined;
  /** Milliseconds from arrival to the last byte. */
  durationMs: number;
}

/** Returns the request log's record of a call. It contains nothing of the prompt or the response. */
export function newCall(
  deps: Pick<Deps, 'now' | 'newId'>,
  { accountId, keyId, requestId }: Pick<Call, 'accountId' | 'keyId' | 'requestId'>,
  report: Report,
  { status, code, durationMs }: CallOutcome,
): AiCall {
  const { usage, provider, model, saved, chargedMicroRand, firstByte, bodyError } = report;
  return {
    id: deps.newId('aic'),
    accountId,
    keyId,
    requestId,
    createdAt: deps.now().toISOString(),
    model: truncate(model, MAX_MODEL_LENGTH),
    provider: provider ?? null,
    saved,
    status,
    // An interrupted stream failed although its status is 200.
    code: code ?? bodyError ?? null,
    inputTokens: usage ? usage.input + usage.cached + usage.cacheWrite : 0,
    outputTokens: usage?.output ?? 0,
    amountMicroRand: chargedMicroRand,
    durationMs: Math.round(durationMs),
    firstByteMs: firstByte === undefined ? null : Math.round(firstByte),
  };
}

/** Writes a call to the request log. Replaces the record that a failed attempt to charge the call may have written (settlement.ts). */
export async function recordCall(deps: Pick<Deps, 'table'>, call: AiCall): Promise<void> {
  const write = create(AiCall, call, undefined, {});
  // Saves the serialization and parsing of an item that nothing reads here.
  await deps.table.updateReturningChanged(write);
}

const hasFailed = ({ status, code }: AiCall): boolean => status >= 400 || code !== null;

/** GET /dashboard/v1/ai/calls */
export async function listCalls(
  deps: Deps,
  { accountId }: Caller,
  { limit, offset, cursor, model, failed }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const calls = deps.table.newest(AiCall, aiCallsOf(accountId), { before: cursor, pageSize: PAGE_SIZE });
  const isWanted = (call: AiCall) =>
    (model === undefined || call.model === model) && (failed === undefined || hasFailed(call) === (failed === 'true'));
  const page = await readPage(calls, { limit, offset }, { isWanted, maxRead: MAX_READ });
  return pageBody(page, (call) => ({
    id: call.id,
    requestId: call.requestId,
    createdAt: call.createdAt,
    model: call.model,
    provider: call.provider,
    keyId: call.keyId || null,
    ownKey: call.saved,
    status: call.status,
    code: call.code,
    inputTokens: call.inputTokens,
    outputTokens: call.outputTokens,
    amountMicroRand: call.amountMicroRand,
    durationMs: call.durationMs,
    firstByteMs: call.firstByteMs,
  }));
}

/** GET /dashboard/v1/ai/provider-stats */
export async function readProviderStats(
  deps: Deps,
  { accountId }: Caller,
  { days }: Input<typeof StatsRoute>,
): Promise<Output<typeof StatsRoute>> {
  const from = timestampBefore(deps.now(), days * DAY_MS);
  const byProvider = new Map<string, AiCall[]>();
  let read = 0;
  for await (const call of deps.table.newest(AiCall, aiCallsOf(accountId), { pageSize: PAGE_SIZE })) {
    if (call.createdAt < from || read === MAX_READ) break;
    read += 1;
    if (call.provider) byProvider.set(call.provider, [...(byProvider.get(call.provider) ?? []), call]);
  }
  const providers = [...byProvider]
    .map(([provider, calls]) => {
      const durations = calls.map(({ durationMs }) => durationMs);
      const firstBytes = calls.flatMap(({ firstByteMs }) => (firstByteMs === null ? [] : [firstByteMs]));
      return {
        provider,
        calls: calls.length,
        failed: calls.filter(hasFailed).length,
        p50Ms: percentile(durations, 0.5) ?? 0,
        p95Ms: percentile(durations, 0.95) ?? 0,
        firstByteP50Ms: percentile(firstBytes, 0.5),
      };
    })
    .sort((a, b) => b.calls - a.calls);
  return { data: { providers, complete: read < MAX_READ } };
}
