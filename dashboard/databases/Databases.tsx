import { Group, Stack, Text } from '@mantine/core';
import { memo } from 'react';
import { createDatabase } from '../../contract/databases/databases.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byName, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { toast } from '../ui/toast.ts';
import { type Database, useCreateDatabase, useDatabases } from './api.ts';
import { ConnectButton, DeleteButton, ResetButton } from './DatabaseDetails.tsx';
import { DatabaseUse } from './DatabaseUse.tsx';

/** Databases of an application, and a form that creates one. */
export const Databases = ({ appId }: { appId: string }) => (
  <Stack gap="xl">
    <Section
      title="Databases"
      description="PostgreSQL (Aurora DSQL). The application connects with the environment variables listed here."
    >
      <QueryBoundary query={useDatabases()}>
        {({ data }) => <DatabaseList databases={data.filter(({ applicationId }) => applicationId === appId)} />}
      </QueryBoundary>
    </Section>
    <Section title="Create a database">
      <NewDatabase appId={appId} />
    </Section>
    <DatabaseUse />
  </Stack>
);

const VIEW: ListView<Database> = {
  text: ({ name, variables }) => `${name} ${variables.join(' ')}`,
  sorts: { name: { label: 'Name', compare: byName(({ name }) => name) } },
  status: ({ status }) => status,
};

function DatabaseList({ databases }: { databases: readonly Database[] }) {
  const filter = useListFilter();
  if (databases.length === 0)
    return <EmptyState title="No databases yet">Create a database below. It takes about a minute.</EmptyState>;
  return (
    <FilteredItems name="databases" items={databases} filter={filter} view={VIEW}>
      {(items) => (
        <div className="card">
          {items.map((database) => (
            <DatabaseRow key={database.id} database={database} />
          ))}
        </div>
      )}
    </FilteredItems>
  );
}

/** Messages about the access that a limit restricts. */
const ACCESS_MESSAGES = {
  OWNER:
    'A limit is reached: the application cannot open new connections. You can still connect to delete or export data.',
  NONE: 'A limit is far exceeded: no new connections are opened. Upgrade your plan, wait for the next month (DPUs), or delete a database (storage).',
};

const DatabaseRow = memo(({ database }: { database: Database }) => (
  <Group className="row" justify="space-between" gap="sm">
    <div>
      <Text fw={600}>{database.name}</Text>
      <Text size="sm" c="dimmed" className="break">
        {database.failureReason ?? database.variables.join(', ')}
      </Text>
      {database.access !== 'ALL' && (
        <Text size="sm" c="var(--bad)">
          {ACCESS_MESSAGES[database.access]}
        </Text>
      )}
    </div>
    <Group gap="xs">
      <Status value={database.status} />
      {database.status === 'AVAILABLE' && (
        <>
          <ConnectButton database={database} />
          <ResetButton database={database} />
        </>
      )}
      {database.status !== 'DELETING' && <DeleteButton database={database} />}
    </Group>
  </Group>
));

function NewDatabase({ appId }: { appId: string }) {
  const toBody = ({ name }: { name: string }) => ({ applicationId: appId, name });
  const form = useForm(createDatabase.body, { name: '' }, toBody, `database ${appId}`);
  const create = useCreateDatabase();
  const submit = async () => {
    await create.mutateAsync({ body: toBody(form.values) });
    toast('The database is being created. Deploy the application once it is available.');
    form.clearSent();
  };
  return (
    <FormBox form={form} label="Create database" onSubmit={submit}>
      <TextField field={form.field('name')} label="Name" placeholder="main" required />
    </FormBox>
  );
}
