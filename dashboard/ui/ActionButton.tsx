import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import type { Right } from '../../contract/roles.ts';
import { useRefusal } from '../api/rights.ts';
import { toastError } from './toast.ts';

/** A button for one action: shows progress, ignores further clicks meanwhile, and reports a failure as a toast. Disabled where the role does not allow it. */
export function ActionButton({
  action,
  right,
  children,
  disabled,
  ...props
}: { action: () => Promise<unknown>; right?: Right } & ButtonProps) {
  const refusal = useRefusal(right);
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
    <Button
      variant="default"
      {...props}
      {...(refusal === undefined ? { disabled: disabled ?? false } : { disabled: true, title: refusal })}
      loading={busy}
      onClick={() => void click()}
    >
      {children}
    </Button>
  );
}
