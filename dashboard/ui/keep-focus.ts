/** Longer than Mantine takes to return the focus from a dialog. */
const FOCUS_AFTER_MS = 50;

/**
 * Remembers the table around the button that has the focus. Returns a function that moves the focus there if it was lost: a row that
 * is deleted takes its button with it.
 */
export function keepFocus(): () => void {
  const table = document.activeElement?.closest<HTMLElement>('section[tabindex]');
  return () => {
    setTimeout(() => {
      if (document.activeElement === document.body) table?.focus();
    }, FOCUS_AFTER_MS);
  };
}
