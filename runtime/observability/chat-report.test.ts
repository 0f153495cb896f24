import { afterEach, expect, test, vi } from 'vitest';
import type { Report } from '../../domain/ai/report.ts';
import { type FailureKind, ProviderFailure } from '../../providers/ai/failures.ts';
import { callReport } from './chat-report.ts';

afterEach(() => void vi.restoreAllMocks());

/** Reports a call that failed so, and returns the metrics that it counted. */
function countedBy(kind: FailureKind, saved: boolean): Record<string, unknown> {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const failure = new ProviderFailure(kind, {});
  const report = { saved, provider: 'openai', model: 'openai/gpt-4o', failure, unwritten: [] };
  const request = { requestId: 'req_1', address: '192.0.2.1', startedAt: performance.now() };
  callReport(request, 400, undefined, report as unknown as Report);
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}

test.each<[FailureKind, boolean]>([
  ['request-refused', false],
  ['request-refused', true],
  ['content-refused', false],
  ['content-refused', true],
  ['key-refused', true],
  ['credit-used-up', true],
  ['overloaded', true],
])('a failure that callers cause counts in no alarm: %s, saved key: %s', (kind, saved) => {
  const counted = countedBy(kind, saved);
  expect(counted).toMatchObject({ Calls: 1 });
  for (const name of ['UpstreamFailures', 'OwnKeyRefused', 'Unsettled', 'WrittenOffMicroRand']) {
    expect(counted).not.toHaveProperty(name);
  }
});

test.each<[FailureKind, boolean, string]>([
  ['timeout', true, 'UpstreamFailures'],
  ['failed', false, 'UpstreamFailures'],
  ['overloaded', false, 'UpstreamFailures'],
  ['key-refused', false, 'OwnKeyRefused'],
  ['credit-used-up', false, 'OwnKeyRefused'],
])('a failure of the provider or of our key is counted once: %s, saved key: %s', (kind, saved, name) => {
  expect(countedBy(kind, saved)).toMatchObject({ [name]: 1 });
});
