import { afterAll, beforeAll, expect, test, vi } from 'vitest';

beforeAll(() => {
  // The formats take the time zone of the moment at which their module is loaded.
  vi.stubEnv('TZ', 'America/New_York');
  vi.resetModules();
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test('a day of the calendar is the same day west of Greenwich, and a moment has the day of the user', async () => {
  const { formatDate, formatDay } = await import('./TimeAgo.tsx');
  expect(formatDay('2026-11-22')).toBe('22 Nov 2026');
  expect(formatDate('2026-11-22T00:30:00.000Z')).toBe('21 Nov 2026');
});
