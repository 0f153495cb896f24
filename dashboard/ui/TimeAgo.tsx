import { useEffect, useState } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function formatRelative(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
}

export const formatDate = (at: string): string => new Date(at).toLocaleDateString('en-ZA', { dateStyle: 'medium' });
export const formatTime = (at: string): string =>
  new Date(at).toLocaleString('en-ZA', { dateStyle: 'medium', timeStyle: 'medium' });

/** Refresh interval of relative times. */
const TICK_MS = 30_000;

/** A relative time such as “3 minutes ago”, with the exact time as tooltip and machine-readable value. */
export function TimeAgo({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={formatTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {formatRelative((Date.parse(at) - Math.max(now, 0)) / 1000)}
    </time>
  );
}
