import { type FormEvent, useState } from 'react';

/** State of a form whose action may fail. Ignores a submit while the action runs; calls `done` after its success. */
export function useSubmit(action: () => Promise<unknown>, done: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await action();
      done();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit };
}
