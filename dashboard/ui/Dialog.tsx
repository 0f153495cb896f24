import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { keepFocus } from './keep-focus.ts';

/**
 * A modal dialog. It is mounted when it is first opened: a list has one or two in each row, and a closed one costs as much to
 * render as the row itself.
 */
export function Dialog(props: ModalProps) {
  const { opened } = props;
  const [mounted, setMounted] = useState(false);
  useEffect(() => {
    if (opened) setMounted(true);
  }, [opened]);
  return mounted && <MountedDialog {...props} />;
}

function MountedDialog({ opened, ...props }: ModalProps) {
  // Mantine returns the focus on closing only from a dialog that was rendered while closed.
  const [wasClosed, setWasClosed] = useState(false);
  useEffect(() => {
    setWasClosed(true);
    return keepFocus();
  }, []);
  return <Modal closeButtonProps={{ 'aria-label': 'Close' }} {...props} opened={opened && wasClosed} />;
}
