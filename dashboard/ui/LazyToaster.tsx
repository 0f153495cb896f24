import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';

const loadToaster = () => import('./Toaster.tsx');
const Toaster = lazy(loadToaster);

/** Delay after which the toaster is loaded in advance: the first toast may report a lost connection. */
const PREFETCH_AFTER_MS = 3000;

/** Loads the toaster (`toast.ts`) after the first paint. */
export function LazyToaster() {
  const hasNotifications = useNotifications().notifications.length > 0;
  const [isLoaded, setIsLoaded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      loadToaster().then(
        () => setIsLoaded(true),
        // The first toast loads it again.
        () => undefined,
      );
    }, PREFETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{(isLoaded || hasNotifications) && <Toaster />}</Suspense>;
}
