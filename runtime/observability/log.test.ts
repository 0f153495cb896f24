import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { reportHosting } from './hosting-metrics.ts';
import { log } from './log.ts';

/** Returns the lines of log that a test writes, as they come. */
function keepLines() {
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0);
  return lines;
}
afterEach(() => vi.restoreAllMocks());

test('the log line of an error has all its causes', () => {
  const lines = keepLines();
  const answered = new Error('answered 401');
  const failed = new TypeError('the payment provider failed at /transaction', { cause: answered });
  const shown = new ApiError('server_error', 'The payment provider is not responding.', { status: 502, cause: failed });
  log.error('request failed', shown);
  log.error('request failed', new ApiError('server_error'));
  const [line, plain] = lines.map(({ error }) => error);
  expect(line).toMatchObject({
    name: 'ApiError',
    message: 'The payment provider is not responding.',
    cause: { name: 'TypeError', message: failed.message, cause: { name: 'Error', message: 'answered 401' } },
  });
  expect(Object.keys(plain as object)).toEqual(['name', 'message', 'stack']);
});

test('the log line of a failed hosting server names the subscription', () => {
  const lines = keepLines();
  reportHosting({ accountId: 'acc_1', id: 'sub_1' }, { problem: 'web-1: timeout: no answer' });
  expect(lines).toMatchObject([{ accountId: 'acc_1', subscriptionId: 'sub_1', problem: 'web-1: timeout: no answer' }]);
});
