import type { ApiError } from '../../contract/errors.ts';
import type { Report } from '../../domain/ai/call.ts';
import type { RequestContext } from '../http/response.ts';
import { log, metrics, type Unit } from './log.ts';

const count = (value: number | boolean | undefined): [number, Unit] => [Number(value ?? 0), 'Count'];
const milliseconds = (value: number): [number, Unit] => [Math.round(value * 10) / 10, 'Milliseconds'];

/** Logs one line per AI call with its metrics, without any text of the prompt or the response. */
export function callReport(
  request: RequestContext,
  status: number,
  failed: ApiError | undefined,
  report?: Report,
): void {
  const { usage, failure, provider = 'none' } = report ?? {};
  const dimensions = { operation: 'createChatCompletion', provider };
  const values: Record<string, [number, Unit]> = {
    Latency: milliseconds(performance.now() - request.startedAt),
    ClientErrors: count(status >= 400 && status < 500),
    ServerErrors: count(status >= 500),
    Calls: count(report !== undefined),
    InputTokens: count(usage && usage.input + usage.cached + usage.cacheWrite),
    OutputTokens: count(usage?.output),
    CostMicroRand: count(report?.chargedMicroRand),
    WrittenOffMicroRand: count(report?.writtenOffMicroRand),
    UpstreamFailures: count(failure !== undefined),
    OwnKeyRefused: count(failure?.kind === 'key-refused' && !report?.saved),
    Unsettled: count(report?.settlementFailed),
    ...(report?.firstByte === undefined ? {} : { FirstByte: milliseconds(report.firstByte) }),
    ...(report?.overhead === undefined ? {} : { GatewayOverhead: milliseconds(report.overhead) }),
  };
  log.info('request', {
    requestId: request.requestId,
    accountId: request.caller?.accountId,
    status,
    code: failed?.code,
    model: report?.model.slice(0, 128),
    saved: report?.saved,
    failure: failure?.message,
    // Under our own key the caller is not told what the provider said (domain/ai/errors.ts).
    providerMessage: report?.saved ? undefined : failure?.words,
    callerLeft: report?.callerLeft,
    estimated: report?.estimated,
    ...metrics(dimensions, values, [['operation'], ['operation', 'provider']]),
  });
}
