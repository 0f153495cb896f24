import { useNotifications } from '@mantine/notifications';
import { type ComponentType, useEffect, useState } from 'react';

/** Delay after which the toaster is loaded in advance: the first toast may report a lost connection. */
const PREFETCH_AFTER_MS = 3000;
/** Delay after which it is loaded again where the connection is lost. */
const RETRY_AFTER_MS = 1000;

/** Loads the toaster (`toast.ts`) after the first paint. Toasts that it cannot show yet are shown once it is loaded. */
export function LazyToaster() {
  const hasNotifications = useNotifications().notifications.length > 0;
  const [Toaster, setToaster] = useState<ComponentType>();
  useEffect(() => {
    if (Toaster) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const load = () => {
      import('./Toaster.tsx').then(
        (loaded) => setToaster(() => loaded.default),
        () => {
          if (!isOver) timer = setTimeout(load, RETRY_AFTER_MS);
        },
      );
    };
    timer = setTimeout(load, hasNotifications ? 0 : PREFETCH_AFTER_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [Toaster, hasNotifications]);
  return Toaster ? <Toaster /> : null;
}
