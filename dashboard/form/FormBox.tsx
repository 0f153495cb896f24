import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { FailureNote } from '../ui/FailureAlert.tsx';
import type { Form } from './form.ts';

interface FormBoxProps<V extends object> {
  form: Form<V>;
  /** What the button says. */
  label: string;
  act: () => Promise<unknown>;
  /** Beside the button. */
  beside?: ReactNode;
  children: ReactNode;
}

/**
 * A form with its button. Sent once however often it is clicked; what is wrong stands at its field and gets the focus,
 * what the API refuses stands above the button, and nothing that was typed is lost.
 */
export function FormBox<V extends object>({ form, label, act, beside, children }: FormBoxProps<V>) {
  const element = useRef<HTMLFormElement>(null);
  const busy = useRef(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>();
  const toWrongField = () => {
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy.current) return;
    setError(undefined);
    if (!form.check()) return toWrongField();
    busy.current = true;
    setPending(true);
    try {
      await act();
      form.sent();
    } catch (thrown) {
      if (form.refuse(thrown)) toWrongField();
      else setError(thrown);
    } finally {
      busy.current = false;
      setPending(false);
    }
  };
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack gap="md">
        {form.restored && (
          <Group gap="xs" role="status">
            <Text size="sm" c="dimmed">
              This is what you had typed before.
            </Text>
            <Button size="compact-xs" variant="default" onClick={form.reset}>
              Start over
            </Button>
          </Group>
        )}
        {children}
        {error !== undefined && <FailureNote error={error} />}
        <Group gap="xs">
          <Button type="submit" loading={pending}>
            {label}
          </Button>
          {beside}
        </Group>
      </Stack>
    </form>
  );
}
