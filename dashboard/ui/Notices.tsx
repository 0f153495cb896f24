import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';

const load = () => import('./Toaster.tsx');
const Corner = lazy(load);

/** When the corner is fetched though nothing has been told yet, in milliseconds: what is told may be a lost connection. */
const AHEAD_AFTER = 3000;

/** What was done or went wrong, in a corner (`tell.ts`). Not part of what is loaded before the first paint. */
export function Notices() {
  const told = useNotifications().notifications.length > 0;
  const [here, setHere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      load().then(
        () => setHere(true),
        // Tried again when there is something to tell.
        () => undefined,
      );
    }, AHEAD_AFTER);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{(here || told) && <Corner />}</Suspense>;
}
