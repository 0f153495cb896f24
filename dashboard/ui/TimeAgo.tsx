import { useSyncExternalStore } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Times within this many seconds of the current time are shown as now. */
const NOW_S = 10;

function formatRelative(seconds: number): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < NOW_S ? 'just now' : relative.format(Math.round(seconds), 'second');
}

// Created once: `toLocaleString` creates a formatter per call, which took a third of the time to render a list's rows.
const dateFormat = new Intl.DateTimeFormat('en-ZA', { dateStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat('en-ZA', { dateStyle: 'medium', timeStyle: 'medium' });

const dayFormat = new Intl.DateTimeFormat('en-ZA', { dateStyle: 'medium', timeZone: 'UTC' });

export const formatDate = (at: string): string => dateFormat.format(new Date(at));
/** Formats a calendar day (`2026-01-31`), which is the same in every time zone. */
export const formatDay = (day: string): string => dayFormat.format(new Date(day));
export const formatTime = (at: string): string => timeFormat.format(new Date(at));

/** Refresh interval of relative times. */
const TICK_MS = 30_000;

/** Lag of the clock from which a newly shown time advances it. */
const MAX_LAG_MS = 1000;

/** One clock for all relative times, so that those of a screen agree. It stops while none is shown. */
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => {
  now = Date.now();
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  if (Date.now() - now > MAX_LAG_MS) tick();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface TimeAgoProps {
  at: string;
  /** Shown in place of the time once it has passed. */
  due?: string;
}

/** A relative time such as “3 minutes ago”, with the exact time as tooltip and machine-readable value. */
export function TimeAgo({ at, due }: TimeAgoProps) {
  // The text is the snapshot, so that a tick of the clock renders only the times whose text changes.
  const text = useSyncExternalStore(subscribe, () => {
    const seconds = (Date.parse(at) - now) / 1000;
    return due !== undefined && seconds < NOW_S ? due : formatRelative(seconds);
  });
  return (
    <time dateTime={at} title={formatTime(at)} style={{ whiteSpace: 'nowrap' }}>
      {text}
    </time>
  );
}
