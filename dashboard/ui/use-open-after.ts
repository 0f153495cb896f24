import { useLocation } from 'wouter';
import { toast } from './toast.ts';

/**
 * Returns a function that opens a screen once an action has ended. If the user has left the screen in the meantime, they may be typing
 * elsewhere: it then reports the action's result instead.
 */
export function useOpenAfter(): (path: string, result?: string, open?: (path: string) => void) => void {
  // Renders again after a navigation: an action that begins later begins on that screen.
  const [, navigate] = useLocation();
  const { pathname } = window.location;
  return (path, result, open = navigate) => {
    if (window.location.pathname === pathname) open(path);
    else if (result !== undefined) toast(result);
  };
}
