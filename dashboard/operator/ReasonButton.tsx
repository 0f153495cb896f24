import { Button, type ButtonProps, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../ui/Dialog.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface ReasonButtonProps extends ButtonProps {
  /** Label of the button and of the confirmation. */
  label: string;
  /** Title of the dialog. Default: the label. */
  question?: string;
  /** Tells the operator who reads the reason. Default: it is recorded in the audit log. */
  description?: string;
  /** Inputs before the reason. */
  children?: ReactNode;
  onConfirm: (reason: string) => Promise<unknown>;
}

/** A button for an operator action that asks for a reason in a dialog. A failure is shown in the dialog. */
export function ReasonButton({
  label,
  question = label,
  description = 'Recorded in the audit log.',
  children,
  onConfirm,
  ...button
}: ReasonButtonProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="default" size="xs" {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog opened={open} onClose={close} title={question}>
        <ReasonForm {...{ label, description, onConfirm, close }}>{children}</ReasonForm>
      </Dialog>
    </>
  );
}

/** Makes the dialog focus the first field, which may be one of the children. */
const focusFirstField = (form: HTMLElement | null) =>
  form?.querySelector('input, select')?.setAttribute('data-autofocus', 'true');

type FormProps = Pick<ReasonButtonProps, 'label' | 'children' | 'onConfirm'> & {
  description: string;
  close: () => void;
};

function ReasonForm({ label, description, children, onConfirm, close }: FormProps) {
  const [reason, setReason] = useState('');
  const { busy, error, submit } = useSubmit(label, () => onConfirm(reason.trim()), close);
  return (
    <Stack component="form" onSubmit={submit} gap="md" ref={focusFirstField}>
      {children}
      <TextInput
        label="Reason"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={300}
        autoComplete="off"
      />
      <Text size="sm" c="dimmed">
        {description}
      </Text>
      {error !== undefined && <FailureAlert error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={busy} disabled={reason.trim() === ''}>
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
