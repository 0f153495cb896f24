import { useEffect, useState } from 'react';
import { formatDuration } from '../ui/duration.ts';
import type { Deployment } from './api.ts';

type Times = Pick<Deployment, 'startedAt' | 'finishedAt'>;

/** Time since the start. Counts up until the end. */
export function Elapsed({ startedAt, finishedAt }: Times) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (finishedAt) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [finishedAt]);
  return formatDuration((finishedAt ? Date.parse(finishedAt) : now) - Date.parse(startedAt));
}

/** Duration of a deployment, counting up while it runs. */
export const Duration = ({ deployment }: { deployment: Deployment }) => (
  <>
    {deployment.finishedAt && 'took '}
    <Elapsed {...deployment} />
  </>
);
