import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { updateApp } from '../../contract/apps/apps.ts';
import { NODE_VERSIONS } from '../../contract/enums.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { Section } from '../ui/Section.tsx';
import { toast } from '../ui/toast.ts';
import { type Application, useDeleteApp, useUpdateApp } from './api.ts';

/** Build settings and deletion of an application. */
export const AppSettings = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <BuildSettings app={app} />
    <Section title="Delete this application">
      <DeleteApp app={app} />
    </Section>
  </Stack>
);

const toValues = ({ branch, nodeVersion, installCommand, buildCommand, startFile, autoDeploy }: Application) => ({
  ...{ branch, nodeVersion, installCommand, buildCommand: buildCommand ?? '', startFile, autoDeploy },
});
const toBody = (values: ReturnType<typeof toValues>) => ({ ...values, buildCommand: values.buildCommand || null });

function BuildSettings({ app }: { app: Application }) {
  const form = useForm(updateApp.body, toValues(app), toBody, `settings ${app.id}`);
  const update = useUpdateApp();
  const { field, values } = form;
  const save = async () => {
    await update.mutateAsync({ params: { id: app.id }, body: toBody(values) });
    toast('Saved. Applies to the next deployment.');
  };
  return (
    <Section title="Build and start" description="Changes apply to the next deployment.">
      <Text size="sm" c="dimmed" className="break">
        Repository: {app.repoUrl ?? 'none'}
      </Text>
      <FormBox form={form} label="Save" onSubmit={save}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField field={field('branch')} label="Production branch" />
          <SelectField field={field('nodeVersion')} label="Node version" options={NODE_VERSIONS} />
          <TextField field={field('installCommand')} label="Install command" />
          <TextField field={field('buildCommand')} label="Build command" placeholder="none" />
          <TextField field={field('startFile')} label="Start file" />
        </SimpleGrid>
        <SwitchField field={field('autoDeploy')} label="Deploy on every push to the branch" />
      </FormBox>
    </Section>
  );
}

function DeleteApp({ app }: { app: Application }) {
  const remove = useDeleteApp();
  const [, navigate] = useLocation();
  const deleteApp = async () => {
    await remove.mutateAsync({ params: { id: app.id } });
    toast(`${app.name} was deleted.`);
    navigate('/apps');
  };
  return (
    <Group justify="space-between" className="card" p="md">
      <Text size="sm">Deletes the site and its files. This cannot be undone.</Text>
      <ConfirmButton
        label="Delete application"
        question={`Delete “${app.name}”?`}
        confirmationText={app.name}
        onConfirm={deleteApp}
      >
        {app.primaryDomain} goes offline immediately. Its releases, variables and logs are deleted.
      </ConfirmButton>
    </Group>
  );
}
