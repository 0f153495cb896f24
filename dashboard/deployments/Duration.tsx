import { useEffect, useState } from 'react';
import type { Deployment } from '../apps/api.ts';
import { durationBetween, durationOf } from '../ui/duration.ts';

/** How long a deployment took, or has taken so far. */
export function Took({ deployment: { startedAt, finishedAt } }: { deployment: Deployment }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (finishedAt) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [finishedAt]);
  return finishedAt ? `took ${durationBetween(startedAt, finishedAt)}` : durationOf(now - Date.parse(startedAt));
}
