/** Longer than Mantine takes to return the focus from a dialog. */
const FOCUS_AFTER_MS = 50;

/**
 * Remembers the table around the focused button. Returns a function that moves the focus to the table if it was lost, as when the
 * row with the button was deleted.
 */
export function keepFocus(): () => void {
  const table = document.activeElement?.closest<HTMLElement>('section[tabindex]');
  return () => {
    setTimeout(() => {
      if (document.activeElement === document.body) table?.focus();
    }, FOCUS_AFTER_MS);
  };
}

// Starts here, because screens load this module with their first controls that may be disabled or removed. A screen works without it.
import('./follow-focus.ts').then(
  ({ followFocus }) => followFocus(),
  () => undefined,
);
