import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import type { Right } from '../../contract/roles.ts';
import { useRefusal } from '../api/rights.ts';
import { RowButton } from './RowButton.tsx';
import { toastError } from './toast.ts';

interface ActionButtonProps extends Pick<ButtonProps, 'disabled' | 'variant' | 'children'> {
  size?: 'sm' | 'xs';
  action: () => Promise<unknown>;
  /** The right that the action requires, if it differs from the screen's. */
  right?: Right;
}

/** A button for one action. Shows progress, ignores clicks while it runs, and reports a failure as a toast. Disabled if the role does not allow it. */
export function ActionButton({
  action,
  right,
  children,
  disabled,
  size = 'sm',
  variant = 'default',
}: ActionButtonProps) {
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
  const common = {
    ...(refusal === undefined ? { disabled: disabled ?? false } : { disabled: true, title: refusal }),
    loading: busy,
    onClick: () => void click(),
    children,
  };
  return size === 'xs' && variant === 'default' ? (
    <RowButton size={size} {...common} />
  ) : (
    <Button variant={variant} size={size} {...common} />
  );
}
