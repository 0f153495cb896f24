import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FailureNote } from './FailureAlert.tsx';

interface ConfirmProps extends Omit<ButtonProps, 'children'> {
  /** The button that asks first: `Delete`. */
  label: string;
  /** The question: `Delete “My shop”?` */
  question: string;
  /** What will happen. */
  children: ReactNode;
  /** What has to be typed before it can be done. */
  typed?: string;
  /** A destructive act is red. */
  destructive?: boolean;
  act: () => Promise<unknown>;
}

/** A button for what cannot be undone: it says what will happen and asks. A failure stays in the question. */
export function Confirm({ label, question, children, typed, destructive = true, act, ...button }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" {...(destructive ? { c: 'var(--bad)' } : {})} {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={question} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Question {...{ label, typed, destructive, act, children }} close={() => setOpen(false)} />
      </Modal>
    </>
  );
}

type QuestionProps = Pick<ConfirmProps, 'label' | 'act' | 'children'> & {
  typed: string | undefined;
  destructive: boolean;
  close: () => void;
};

function Question({ label, typed, destructive, act, children, close }: QuestionProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await act();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack component="form" onSubmit={submit} gap="md">
      <Text size="sm" component="div">
        {children}
      </Text>
      {typed !== undefined && (
        <TextInput
          label={`Type “${typed}” to go on`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      {error !== undefined && <FailureNote error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button
          type="submit"
          loading={busy}
          disabled={typed !== undefined && text !== typed}
          {...(destructive ? { color: 'red.9' } : {})}
        >
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
