import type { ApiError } from '../../contract/errors.ts';
import type { Report } from '../../domain/ai/report.ts';
import { isAboutKey, type ProviderFailure } from '../../providers/ai/failures.ts';
import type { RequestContext } from '../http/response.ts';
import { log, metrics, type Unit } from './log.ts';
import { requestFields } from './request-fields.ts';

const count = (value: number | boolean | undefined): [number, Unit] => [Number(value ?? 0), 'Count'];
const milliseconds = (value: number): [number, Unit] => [Math.round(value * 10) / 10, 'Milliseconds'];

/** Logs one line with metrics for an AI call, without the text of its prompt or response. */
export function callReport(
  request: RequestContext,
  status: number,
  failed: ApiError | undefined,
  report?: Report,
): void {
  const { usage, failure, provider = 'none' } = report ?? {};
  // Rare events are a metric only when they happen, because a metric costs for every hour in which it has a value.
  const rare: Record<string, [number, Unit]> = {
    WrittenOffMicroRand: count(report?.writtenOffMicroRand),
    OwnKeyRefused: count(failure && isAboutKey(failure.kind) && !report?.saved),
    Unsettled: count(report?.settlementFailed),
  };
  const values: Record<string, [number, Unit]> = {
    Calls: count(report !== undefined),
    InputTokens: count(usage && usage.input + usage.cached + usage.cacheWrite),
    OutputTokens: count(usage?.output),
    CostMicroRand: count(report?.chargedMicroRand),
    ...Object.fromEntries(Object.entries(rare).filter(([, [value]]) => value > 0)),
    ...(report?.firstByte === undefined ? {} : { FirstByte: milliseconds(report.firstByte) }),
    ...(report?.overhead === undefined ? {} : { GatewayOverhead: milliseconds(report.overhead) }),
  };
  log.info('request', {
    ...requestFields(request),
    status,
    code: failed?.code,
    model: report?.model.slice(0, 128),
    saved: report?.saved,
    failure: failure?.message,
    // With the platform's key, the caller does not see the provider's message (domain/ai/errors.ts).
    providerMessage: report?.saved ? undefined : failure?.words,
    keyError: report?.keyError,
    callerLeft: report?.callerLeft,
    estimated: report?.estimated,
    unwritten: report?.unwritten.length ? report.unwritten : undefined,
    latency: milliseconds(performance.now() - request.startedAt)[0],
    provider,
    ...metrics({ operation: 'createChatCompletion' }, values),
  });
  if (failure && isProviderFault(failure, report?.saved === true)) {
    // Without dimensions for the alarm, and by provider for the dashboard.
    log.warn('provider failed', { ...metrics({ provider }, { UpstreamFailures: [1, 'Count'] }, [[], ['provider']]) });
  }
}

/**
 * Returns true if the provider caused a failure: not for a refused request, nor for a problem with the key or the rate limit of the
 * caller's account at the provider.
 */
const isProviderFault = ({ kind }: ProviderFailure, saved: boolean): boolean =>
  kind === 'overloaded' ? !saved : !isAboutKey(kind) && kind !== 'request-refused' && kind !== 'content-refused';
