import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { toastError } from './toast.ts';

/** A button for one action: shows progress, ignores further clicks meanwhile, and reports a failure as a toast. */
export function ActionButton({ action, children, ...props }: { action: () => Promise<unknown> } & ButtonProps) {
  const [busy, setBusy] = useState(false);
  const click = async () => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" {...props} loading={busy} onClick={() => void click()}>
      {children}
    </Button>
  );
}
