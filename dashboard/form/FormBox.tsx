import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import type { Right } from '../../contract/roles.ts';
import { useRefusal } from '../api/rights.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { toastError } from '../ui/toast.ts';
import { useIsShown } from '../ui/use-is-shown.ts';
import type { Form } from './form.ts';

interface FormBoxProps<V extends object> {
  form: Form<V>;
  /** The submit button's label. */
  label: string;
  onSubmit: () => Promise<unknown>;
  /** Called after a success, unless the form is no longer shown. */
  onDone?: () => void;
  /** True while there is nothing to save. */
  isUnchanged?: boolean;
  /** Shown next to the submit button. */
  secondaryAction?: ReactNode;
  /** The right that the change requires, if it differs from the screen's. */
  right?: Right;
  children: ReactNode;
}

/**
 * A form with its submit button. Repeated clicks send it once. The first invalid field gets the focus; an API error that names
 * no field is shown above the button, and the values stay. Once the form is no longer shown, a failure is reported as a toast.
 */
export function FormBox<V extends object>({
  form,
  label,
  onSubmit,
  onDone,
  isUnchanged = false,
  secondaryAction,
  right,
  children,
}: FormBoxProps<V>) {
  const element = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<unknown>();
  const refusal = useRefusal(right);
  const isShown = useIsShown();
  const focusInvalidField = () => {
    requestAnimationFrame(() => {
      const field = element.current?.querySelector<HTMLElement>('[aria-invalid=true]');
      // A field inside closed details cannot be focused.
      field?.closest('details')?.setAttribute('open', '');
      field?.focus();
    });
  };
  const send = form.onSubmit(async () => {
    const finishSending = form.beginSending();
    try {
      await onSubmit();
      finishSending();
      if (isShown()) onDone?.();
    } catch (thrown) {
      if (!isShown()) toastError(thrown, label);
      else if (form.showApiError(thrown)) focusInvalidField();
      else setError(thrown);
    }
  }, focusInvalidField);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (form.submitting || isUnchanged) return;
    setError(undefined);
    send(event);
  };
  return (
    <form ref={element} className="form" onSubmit={submit} noValidate>
      <Stack gap="md">
        {form.isRestored && (
          <Group gap="xs" role="status">
            <Text size="sm" c="dimmed">
              Draft restored.
            </Text>
            <Button size="compact-xs" variant="default" onClick={form.reset}>
              Discard
            </Button>
          </Group>
        )}
        {children}
        {error !== undefined && <FailureAlert error={error} />}
        {refusal !== undefined && (
          <Text size="sm" c="dimmed">
            {refusal}
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={form.submitting} disabled={refusal !== undefined || isUnchanged}>
            {label}
          </Button>
          {secondaryAction}
        </Group>
      </Stack>
    </form>
  );
}
