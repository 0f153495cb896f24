import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { tellFailure } from './toast.ts';

/** A button for one act: busy while it runs, deaf to a second click, and it tells when it failed. */
export function ActButton({ act, children, ...props }: { act: () => Promise<unknown> } & ButtonProps) {
  const [busy, setBusy] = useState(false);
  const click = async () => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      tellFailure(error);
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
