import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { CopyText } from '../ui/CopyText.tsx';
import { formatNumber } from '../ui/chart/figures.ts';
import { OneTimeSecret, SecretDialog } from '../ui/OneTimeSecret.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { toast } from '../ui/toast.ts';
import { type Database, useCreatePassword, useDatabase, useDeleteDatabase, useResetPasswords } from './api.ts';
import { formatBytes } from './bytes.ts';

/** Button and dialog with a database's size, its connection details and a new password. */
export function ConnectButton({ database }: { database: Database }) {
  const [open, setOpen] = useState(false);
  const create = useCreatePassword();
  const close = () => {
    setOpen(false);
    create.reset();
  };
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={`Connect to ${database.name}`}
        onClick={() => setOpen(true)}
      >
        Connect
      </Button>
      <SecretDialog request={create} opened={open} onClose={close} title={`Connect to ${database.name}`}>
        {create.data ? (
          <OneTimeSecret
            secrets={[
              { name: 'User', text: create.data.data.user },
              { name: 'Database', text: create.data.data.database },
              { name: 'Password', text: create.data.data.password },
              { name: 'URL', text: create.data.data.url },
            ]}
            close={close}
          >
            The password can open connections for one hour. Copy it now. You won't be able to see it again.
          </OneTimeSecret>
        ) : (
          <Details id={database.id} createPassword={() => create.mutateAsync({ params: { id: database.id } })} />
        )}
      </SecretDialog>
    </>
  );
}

const NOT_MEASURED = 'Not measured yet';

function Details({ id, createPassword }: { id: string; createPassword: () => Promise<unknown> }) {
  return (
    <QueryBoundary query={useDatabase(id)}>
      {({ data: { host, port, region, sizeBytes, unitsThisMonth } }) => (
        <Stack gap="md">
          <Field name="Size" text={sizeBytes === null ? NOT_MEASURED : formatBytes(sizeBytes)} />
          <Field name="DPUs this month" text={unitsThisMonth === null ? NOT_MEASURED : formatNumber(unitsThisMonth)} />
          <Field name="Region" text={region} />
          <CopyField name="Host" text={host ?? ''} />
          <CopyField name="Port" text={String(port)} />
          <Text size="sm" c="dimmed">
            Your application connects with its environment variables. For psql and other clients, create a password that
            is valid for one hour. Connections must use TLS.
          </Text>
          <Group justify="flex-end">
            <ActionButton action={createPassword}>Create password</ActionButton>
          </Group>
        </Stack>
      )}
    </QueryBoundary>
  );
}

const Field = ({ name, text }: { name: string; text: string }) => (
  <div>
    <Text size="sm" fw={600}>
      {name}
    </Text>
    <Text size="sm">{text}</Text>
  </div>
);

const CopyField = ({ name, text }: { name: string; text: string }) => (
  <div>
    <Text size="sm" fw={600}>
      {name}
    </Text>
    <CopyText name={name} text={text} />
  </div>
);

/** Revokes all existing passwords. */
export function ResetButton({ database: { id, name } }: { database: Database }) {
  const reset = useResetPasswords();
  const confirm = async () => {
    await reset.mutateAsync({ params: { id } });
    toast('The passwords are being revoked. This takes a few seconds.');
  };
  return (
    <ConfirmButton
      label="Reset passwords"
      aria-label={`Reset passwords of ${name}`}
      size="compact-sm"
      destructive={false}
      question={`Reset the passwords of ${name}?`}
      onConfirm={confirm}
    >
      All existing passwords stop opening new connections. Open connections last at most one more hour. Your application
      keeps its access.
    </ConfirmButton>
  );
}

/** Deletes a database after the user has typed its name. */
export function DeleteButton({ database: { id, name } }: { database: Database }) {
  const remove = useDeleteDatabase();
  return (
    <ConfirmButton
      label="Delete"
      aria-label={`Delete ${name}`}
      size="compact-sm"
      question={`Delete the database ${name}?`}
      confirmationText={name}
      onConfirm={() => remove.mutateAsync({ params: { id } })}
    >
      All its data is deleted immediately and cannot be restored. Applications that still use it lose their connection.
    </ConfirmButton>
  );
}
