import { useCallback, useEffect, useRef, useState } from 'react';
import { type NavigateOptions, useSearchParams } from 'wouter';

/** State in the URL, so that a link, a reload and Back restore it. A change replaces the history entry, so that Back leaves the screen. */
export function useUrlState(name: string): [value: string, set: (value: string) => void] {
  const [{ [name]: value = '' }, change] = useUrlStates([name]);
  const set = useCallback((to: string) => change({ [name]: to }), [name, change]);
  return [value, set];
}

type Values = Readonly<Record<string, string>>;

type Change = (values: Values, options?: NavigateOptions<unknown>) => void;

/** Several values in the URL that change together. An empty value is omitted from the URL. */
export function useUrlStates(names: readonly string[]): [values: Values, change: Change] {
  const [params, setParams] = useSearchParams();
  const change = useCallback<Change>(
    (values, options = { replace: true }) =>
      setParams((before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      }, options),
    [setParams],
  );
  return [Object.fromEntries(names.map((name) => [name, params.get(name) ?? ''])), change];
}

/** Parses the offset of a page from the URL; 0 for anything but a number. */
export const parseOffset = (text: string): number => (/^\d{1,5}$/.test(text) ? Number(text) : 0);

/** Delay between a keystroke and the URL: browsers limit how often it may change. */
const WRITE_AFTER_MS = 250;

/** Like {@link useUrlState}, for typed text: the text changes immediately, and the URL follows. */
export function useUrlText(name: string): [text: string, set: (text: string) => void] {
  const [value, setValue] = useUrlState(name);
  const [text, setText] = useState(value);
  const written = useRef(value);
  useEffect(() => {
    // The URL was changed by a link or Back, not by this text.
    if (value !== written.current) setText(value);
    written.current = value;
  }, [value]);
  useEffect(() => {
    if (text === written.current) return;
    const timer = setTimeout(() => {
      written.current = text;
      setValue(text);
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, setValue]);
  return [text, setText];
}

/** State of the history entry that opening a dialog adds. */
const OPENED = 'opened';

/**
 * The open state of a dialog, in the URL: `?dialog=new-key`. Opening adds an entry to the history, so that Back closes the dialog.
 */
export function useUrlDialog(name: string): [isOpen: boolean, setIsOpen: (isOpen: boolean) => void] {
  const [{ dialog }, change] = useUrlStates(['dialog']);
  const isOpen = dialog === name;
  const setIsOpen = (isOpen: boolean) => {
    // A dialog that was opened by a link has no history entry of its own.
    const hasEntry = history.state === OPENED;
    change({ dialog: isOpen ? name : '' }, isOpen ? { state: OPENED } : undefined);
    if (!isOpen && hasEntry) history.back();
  };
  return [isOpen, setIsOpen];
}
