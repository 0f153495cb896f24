import { type FormEvent, useState } from 'react';
import { toastError } from './toast.ts';
import { useIsShown } from './use-is-shown.ts';

/**
 * State of a form whose action may fail. Ignores a submit while the action runs; calls `done` after its success. A failure after the form
 * was closed is reported as a toast.
 *
 * @param label the label of the submit button
 */
export function useSubmit(label: string, action: () => Promise<unknown>, done: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isShown = useIsShown();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await action();
      if (isShown()) done();
    } catch (thrown) {
      if (isShown()) setError(thrown);
      else toastError(thrown, label);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit };
}
