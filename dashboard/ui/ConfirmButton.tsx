import { Button, type ButtonProps, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Right } from '../../contract/roles.ts';
import { useRefusal } from '../api/rights.ts';
import { Dialog } from './Dialog.tsx';
import { FailureAlert } from './FailureAlert.tsx';
import { RowButton, type RowButtonSize } from './RowButton.tsx';
import { useSubmit } from './use-submit.ts';

interface ConfirmButtonProps extends Pick<ButtonProps, 'variant'> {
  size?: 'sm' | 'compact-sm' | RowButtonSize;
  'aria-label'?: string;
  /** Label of the button and of the confirmation: `Delete`. */
  label: string;
  /** Title of the dialog: `Delete “My shop”?` */
  question: string;
  /** The consequences. */
  children: ReactNode;
  /** Text that the user has to type to confirm. */
  confirmationText?: string;
  /** Label of the dismiss button, if `Cancel` could be mistaken for the action. */
  keepLabel?: string;
  /** Colors the buttons red. */
  destructive?: boolean;
  /** The right that the action requires, if it differs from the screen's. */
  right?: Right;
  onConfirm: () => Promise<unknown>;
}

/** A button that asks for confirmation in a dialog. A failure is shown in the dialog. Disabled if the role does not allow it. */
export function ConfirmButton({
  label,
  question,
  children,
  confirmationText,
  keepLabel = 'Cancel',
  destructive = true,
  onConfirm,
  right,
  size = 'sm',
  'aria-label': name,
  ...button
}: ConfirmButtonProps) {
  const [open, setOpen] = useState(false);
  const refusal = useRefusal(right);
  const refused = refusal === undefined ? {} : { disabled: true, title: refusal };
  return (
    <>
      {size === 'xs' || size === 'compact-xs' ? (
        <RowButton {...{ size, destructive, ...refused }} aria-label={name} onClick={() => setOpen(true)}>
          {label}
        </RowButton>
      ) : (
        <Button
          variant="default"
          {...(destructive ? { c: 'var(--bad)' } : {})}
          {...{ size, ...button, ...refused }}
          aria-label={name}
          onClick={() => setOpen(true)}
        >
          {label}
        </Button>
      )}
      <Dialog opened={open} onClose={() => setOpen(false)} title={question}>
        <Question
          {...{ label, confirmationText, keepLabel, destructive, onConfirm, children }}
          close={() => setOpen(false)}
        />
      </Dialog>
    </>
  );
}

type QuestionProps = Pick<ConfirmButtonProps, 'label' | 'onConfirm' | 'children'> & {
  confirmationText: string | undefined;
  keepLabel: string;
  destructive: boolean;
  close: () => void;
};

function Question({ label, confirmationText, keepLabel, destructive, onConfirm, children, close }: QuestionProps) {
  const [text, setText] = useState('');
  const { busy, error, submit } = useSubmit(label, onConfirm, close);
  return (
    <Stack component="form" onSubmit={submit} gap="md">
      <Text size="sm" component="div">
        {children}
      </Text>
      {confirmationText !== undefined && (
        <TextInput
          label={`Type “${confirmationText}” to confirm`}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
      {error !== undefined && <FailureAlert error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {keepLabel}
        </Button>
        <Button
          type="submit"
          loading={busy}
          disabled={confirmationText !== undefined && text !== confirmationText}
          {...(destructive ? { color: 'red.9' } : {})}
        >
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
