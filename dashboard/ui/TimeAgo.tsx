import { useEffect, useState } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function fromNow(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
}

export const dateOf = (at: string): string => new Date(at).toLocaleDateString('en-ZA', { dateStyle: 'medium' });
export const timeOf = (at: string): string =>
  new Date(at).toLocaleString('en-ZA', { dateStyle: 'medium', timeStyle: 'medium' });

/** Half a minute: what is shown in words is never further off. */
const TICK = 30_000;

/** A moment as “3 minutes ago”, with the exact time to hover over and for machines. */
export function When({ at }: { at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={timeOf(at)} style={{ whiteSpace: 'nowrap' }}>
      {fromNow((Date.parse(at) - Math.max(now, 0)) / 1000)}
    </time>
  );
}
