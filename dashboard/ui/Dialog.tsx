import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';

/**
 * A modal dialog. It is mounted when it is first opened: a list has one or two in each row, and a closed one costs as much to
 * render as the row itself. Mantine returns the focus on closing only from a dialog that was mounted while closed, hence two steps.
 */
export function Dialog({ opened, ...props }: ModalProps) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    if (opened) setMounted(true);
  }, [opened]);
  if (!mounted) return null;
  return <Modal closeButtonProps={{ 'aria-label': 'Close' }} {...props} opened={opened} />;
}
