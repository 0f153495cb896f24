import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { OpenContext } from './use-is-shown.ts';

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

function MountedDialog({ opened, children, ...props }: ModalProps) {
  // Mantine returns the focus on closing only from a dialog that was rendered while closed.
  const [wasClosed, setWasClosed] = useState(false);
  useEffect(() => setWasClosed(true), []);
  return (
    <Modal closeButtonProps={{ 'aria-label': 'Close' }} {...props} opened={opened && wasClosed}>
      <OpenContext value={opened}>{children}</OpenContext>
    </Modal>
  );
}

// Starts here, because screens load this module with their first controls that may be disabled or removed. A screen works without it.
import('./follow-focus.ts').then(
  ({ followFocus }) => followFocus(),
  () => undefined,
);
