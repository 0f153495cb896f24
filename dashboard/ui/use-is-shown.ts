import { createContext, useCallback, useContext, useEffect, useRef } from 'react';

/** False in a dialog that is closed, or being closed. */
export const OpenContext = createContext(true);

/**
 * Returns a function that says whether the component is shown. An action may end after its dialog was closed or its screen was left: what
 * it then reports must be shown elsewhere.
 */
export function useIsShown(): () => boolean {
  const isOpen = useContext(OpenContext);
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = isOpen;
    return () => {
      isShown.current = false;
    };
  }, [isOpen]);
  return useCallback(() => isShown.current, []);
}
