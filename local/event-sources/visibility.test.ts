import { expect, test } from 'vitest';
import { createExtensions, VISIBILITY_CHECK_MS } from './visibility.ts';

test.each([30, 110])(
  'a message that waits an hour in a queue with a timeout of %i s never becomes visible, for a few calls',
  (timeoutS) => {
    const extensionsOf = createExtensions(timeoutS);
    const message = { receiptHandle: 'one' };
    // Received right after a look, which is the least favourable moment.
    let visibleAt = timeoutS * 1000;
    let calls = 0;
    for (let now = VISIBILITY_CHECK_MS; now <= 3600_000; now += VISIBILITY_CHECK_MS) {
      // An invocation that began just before this look would still have its time.
      expect(visibleAt - now).toBeGreaterThanOrEqual(timeoutS * 1000 - VISIBILITY_CHECK_MS);
      for (const { ReceiptHandle, VisibilityTimeout = 0 } of extensionsOf([message], now)) {
        expect(ReceiptHandle).toBe('one');
        visibleAt = now + VisibilityTimeout * 1000;
        calls += 1;
      }
    }
    expect(calls).toBeLessThan(20);
  },
);
