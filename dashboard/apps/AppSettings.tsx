import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { updateApp } from '../../contract/apps/apps.ts';
import { NODE_VERSIONS } from '../../contract/enums.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { Section } from '../ui/Section.tsx';
import { tell } from '../ui/toast.ts';
import { type Application, useDeleteApp, useUpdateApp } from './api.ts';

/** How an application is built and started, and its end. */
export const AppSettings = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <Building app={app} />
    <Section title="Delete this application">
      <DeleteApp app={app} />
    </Section>
  </Stack>
);

const valuesOf = ({ branch, nodeVersion, installCommand, buildCommand, startFile, autoDeploy }: Application) => ({
  ...{ branch, nodeVersion, installCommand, buildCommand: buildCommand ?? '', startFile, autoDeploy },
});
const toBody = (values: ReturnType<typeof valuesOf>) => ({ ...values, buildCommand: values.buildCommand || null });

function Building({ app }: { app: Application }) {
  const form = useForm(updateApp.body, valuesOf(app), toBody, `settings ${app.id}`);
  const update = useUpdateApp();
  const { field, values } = form;
  const save = async () => {
    await update.mutateAsync({ params: { id: app.id }, body: toBody(values) });
    tell('Saved. The next deployment is built this way.');
  };
  return (
    <Section title="Build and start" about="A change takes effect with the next deployment.">
      <Text size="sm" c="dimmed" className="break">
        Repository: {app.repoUrl ?? 'none'}
      </Text>
      <FormBox form={form} label="Save" act={save}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField of={field('branch')} label="Branch" />
          <ChoiceField of={field('nodeVersion')} label="Node version" choices={NODE_VERSIONS} />
          <TextField of={field('installCommand')} label="Install command" />
          <TextField of={field('buildCommand')} label="Build command" placeholder="none" />
          <TextField of={field('startFile')} label="Start file" />
        </SimpleGrid>
        <SwitchField of={field('autoDeploy')} label="Deploy on every push to the branch" />
      </FormBox>
    </Section>
  );
}

function DeleteApp({ app }: { app: Application }) {
  const remove = useDeleteApp();
  const [, navigate] = useLocation();
  const act = async () => {
    await remove.mutateAsync({ params: { id: app.id } });
    tell(`${app.name} was deleted.`);
    navigate('/apps');
  };
  return (
    <Group justify="space-between" className="card" p="md">
      <Text size="sm">The site and its files are removed from the server. This cannot be undone.</Text>
      <Confirm label="Delete application" question={`Delete “${app.name}”?`} typed={app.name} act={act}>
        {app.primaryDomain} stops answering at once, and its releases, variables and logs are gone.
      </Confirm>
    </Group>
  );
}
