import { useEffect, useState } from 'react';
import { formatDuration, formatDurationBetween } from '../ui/duration.ts';
import type { Deployment } from './api.ts';

/** Duration of a deployment, counting up while it runs. */
export function Duration({ deployment: { startedAt, finishedAt } }: { deployment: Deployment }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (finishedAt) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [finishedAt]);
  return finishedAt
    ? `took ${formatDurationBetween(startedAt, finishedAt)}`
    : formatDuration(now - Date.parse(startedAt));
}
