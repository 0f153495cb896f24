import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { keepFocus } from './keep-focus.ts';

/**
 * A modal dialog. It is mounted when it is first opened: lists have one or two dialogs per row, and a closed one takes as long to
 * render as its row.
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
