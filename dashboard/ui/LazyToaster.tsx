import { useNotifications } from '@mantine/notifications';
import { type ComponentType, useEffect, useState } from 'react';

/** Delay after which the toaster is loaded in advance: the first toast may report a lost connection. */
const PREFETCH_AFTER_MS = 3000;
/** Interval between two checks of the connection. */
const RETRY_AFTER_MS = 1000;

/**
 * Loads the toaster (`toast.ts`) after the first paint, but not while the browser is offline: it does not retry a module that failed
 * to load, so no toast would appear until a reload. Toasts that are sent earlier appear once the toaster is loaded.
 */
export function LazyToaster() {
  const hasNotifications = useNotifications().notifications.length > 0;
  const [Toaster, setToaster] = useState<ComponentType>();
  useEffect(() => {
    if (Toaster) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    const load = () => {
      if (navigator.onLine) {
        import('./Toaster.tsx').then(
          (loaded) => setToaster(() => loaded.default),
          // Most browsers fail again without a request; others get the script with the next toast.
          () => undefined,
        );
      } else timer = setTimeout(load, RETRY_AFTER_MS);
    };
    timer = setTimeout(load, hasNotifications ? 0 : PREFETCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [Toaster, hasNotifications]);
  return Toaster ? <Toaster /> : null;
}
