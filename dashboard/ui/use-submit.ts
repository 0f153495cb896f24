import { type FormEvent, useState } from 'react';

/** State of a form whose action may fail: it is not sent twice at once, and `done` follows its success. */
export function useSubmit(act: () => Promise<unknown>, done: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await act();
      done();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit };
}
