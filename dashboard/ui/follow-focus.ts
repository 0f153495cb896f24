/** Longer than React takes to replace a control, and than Mantine takes to return the focus from a dialog. */
const REPLACED_WITHIN_MS = 50;

const isFocusLost = (): boolean => document.activeElement === document.body;

/** Parts of a screen that take the focus of a control inside of them. */
const PARTS = 'form, section, [role=dialog], [role=tabpanel], main';

const isUsable = (control: HTMLElement): boolean => control.isConnected && !control.matches(':disabled');

/**
 * Restores the focus that the browser drops when it disables or removes the focused control: a screen reader would continue at the
 * top of the page. A control that is disabled while its action runs (`data-loading`) gets the focus back. The focus of one that is
 * removed, or stays disabled, moves to the part of the screen around it.
 */
export function followFocus(): void {
  /** The focused control and its ancestors, which a removed control no longer has. */
  let path: HTMLElement[] = [];
  /** Those of the control that has opened the dialog with the focus. */
  let opener: HTMLElement[] = [];
  let isDropped = false;
  const focusPart = () => {
    const [control] = path;
    if (!control || isUsable(control) || !isFocusLost()) return;
    // Of the opener, the control itself: a native dialog that is removed returns no focus, unlike one that is closed.
    const isNext = (each: HTMLElement) =>
      each === opener[0] ? isUsable(each) : each.isConnected && each.matches(PARTS);
    const around = [...path.slice(1), ...opener].find(isNext);
    // Nothing is left of a dialog that a link has opened, or of a notification. What an open dialog covers takes no focus.
    const part = around ?? document.querySelector<HTMLElement>('[role=dialog]') ?? document.querySelector('main');
    path = [];
    // A part takes the focus only with the attribute. A control of the opener has 0 without it.
    if (part && part.tabIndex < 0) part.tabIndex = -1;
    part?.focus({ preventScroll: true });
  };
  document.addEventListener('focusin', (event) => {
    isDropped = false;
    const next = event.composedPath().filter((each) => each instanceof HTMLElement);
    const dialog = next.find((each) => each.matches('[role=dialog], dialog'));
    if (!dialog) opener = [];
    else if (!path.includes(dialog)) opener = path;
    path = next;
  });
  document.addEventListener('focusout', () => {
    const [control] = path;
    // A removed control loses the focus before it is removed. Of the others, the user clicked beside one, or left the window.
    setTimeout(() => {
      if (control && control === path[0] && isUsable(control) && isFocusLost()) path = [];
    });
  });
  new MutationObserver(() => {
    const [control] = path;
    if (!control) return;
    if (!isUsable(control)) {
      isDropped = true;
      if (!control.isConnected || !control.hasAttribute('data-loading')) setTimeout(focusPart, REPLACED_WITHIN_MS);
    } else if (isDropped) {
      isDropped = false;
      if (isFocusLost()) control.focus({ preventScroll: true });
    }
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled', 'data-loading'] });
}
