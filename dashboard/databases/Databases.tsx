import { Group, Stack, Text } from '@mantine/core';
import { createDatabase } from '../../contract/databases/databases.ts';
import { type Application, type Database, useCreateDatabase, useDatabases } from '../apps/api.ts';
import { FormBox } from '../form/FormBox.tsx';
import { TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { tell } from '../ui/toast.ts';

/** The application's databases, and a new one. */
export const Databases = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <Section title="Databases" about="PostgreSQL (Aurora DSQL). The application finds them by environment variables.">
      <Loaded query={useDatabases()}>
        {({ data }) => <List databases={data.filter(({ applicationId }) => applicationId === app.id)} />}
      </Loaded>
    </Section>
    <Section title="New database">
      <NewDatabase app={app} />
    </Section>
  </Stack>
);

const List = ({ databases }: { databases: readonly Database[] }) =>
  databases.length === 0 ? (
    <Empty title="No databases yet">Have one made below; it takes a minute.</Empty>
  ) : (
    <div className="card">
      {databases.map(({ id, name, status, variables }) => (
        <Group key={id} className="row" justify="space-between" gap="sm">
          <div>
            <Text fw={600}>{name}</Text>
            <Text size="sm" c="dimmed" className="break">
              {variables.join(', ')}
            </Text>
          </div>
          <Status of={status} />
        </Group>
      ))}
    </div>
  );

function NewDatabase({ app }: { app: Application }) {
  const toBody = ({ name }: { name: string }) => ({ applicationId: app.id, name });
  const form = useForm(createDatabase.body, { name: '' }, toBody, `database ${app.id}`);
  const create = useCreateDatabase();
  const act = async () => {
    await create.mutateAsync({ body: toBody(form.values) });
    tell('The database is being made. Deploy once it is there.');
    form.reset();
  };
  return (
    <FormBox form={form} label="Create database" act={act}>
      <TextField of={form.field('name')} label="Name" placeholder="main" required />
    </FormBox>
  );
}
