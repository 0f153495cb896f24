import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { editApp } from '../../contract/apps/apps.ts';
import { FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { Section } from '../ui/Section.tsx';
import { toast } from '../ui/toast.ts';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { type Application, servingDomain, useDeleteApp, useUpdateApp } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';
import { RedeployNote, useUnapplied } from './RedeployNote.tsx';

/** Build settings and deletion of an application. */
export const AppSettings = ({ app }: { app: Application }) => (
  <Stack gap="xl">
    <BuildSettings app={app} />
    <Section title="Danger zone" description="Actions that cannot be undone.">
      <DeleteApp app={app} />
    </Section>
  </Stack>
);

const toValues = ({
  name,
  framework,
  branch,
  nodeVersion,
  installCommand,
  startFile,
  healthCheckPath,
  autoDeploy,
  ...app
}: Application) => ({
  name,
  framework,
  branch,
  nodeVersion,
  installCommand,
  startFile,
  healthCheckPath,
  autoDeploy,
  repoUrl: app.repoUrl ?? '',
  buildCommand: app.buildCommand ?? '',
  startCommand: app.startCommand ?? '',
  rootDirectory: app.rootDirectory ?? '',
});
type Values = ReturnType<typeof toValues>;

/** Converts the form's values to settings: an empty command or directory becomes null, for which the platform uses its default. */
const toSettings = ({ buildCommand, startCommand, rootDirectory, ...values }: Values) => ({
  ...values,
  buildCommand: buildCommand || null,
  startCommand: startCommand || null,
  rootDirectory: rootDirectory || null,
});

/** Settings that apply as soon as they are saved, without a deployment. */
const IMMEDIATE = ['name', 'autoDeploy'];

/** Returns only the changed settings: the API no longer detects a setting that was sent. */
function toBody(app: Application, values: Values) {
  const before = new Map<string, unknown>(Object.entries(toSettings(toValues(app))));
  return Object.fromEntries(Object.entries(toSettings(values)).filter(([name, value]) => before.get(name) !== value));
}

/** Settings that the last build detected in the repository. */
function Detected({ detected }: { detected: NonNullable<Application['detected']> }) {
  const { framework, packageManager, nodeVersion, buildCommand, start } = detected;
  const parts = [
    framework ?? 'Node.js',
    ...(packageManager ? [packageManager] : []),
    `Node ${nodeVersion}`,
    buildCommand ? `build: ${buildCommand}` : 'no build',
    ...(start ? [`start: ${start}`] : []),
  ];
  return (
    <Text size="sm" c="dimmed" className="break">
      Detected: {parts.join(', ')}
    </Text>
  );
}

function BuildSettings({ app }: { app: Application }) {
  const form = useForm(editApp.body, toValues(app), (values) => toBody(app, values), `settings ${app.id}`);
  const update = useUpdateApp();
  const { field, values } = form;
  const body = toBody(app, values);
  const [isUnapplied, markChanged] = useUnapplied(app, 'settings');
  const save = async () => {
    await update.mutateAsync({ params: { id: app.id }, body });
    const needsDeployment = Object.keys(body).some((name) => !IMMEDIATE.includes(name));
    if (needsDeployment) markChanged();
    toast(needsDeployment ? 'Saved. Applies to the next deployment.' : 'Saved.');
  };
  return (
    <Section
      title="Build and start"
      description="Changes to the build and start settings apply to the next deployment."
    >
      {isUnapplied && <RedeployNote app={app} kind="settings" />}
      {app.detected ? <Detected detected={app.detected} /> : null}
      <FormBox form={form} label="Save" onSubmit={save} isUnchanged={Object.keys(body).length === 0}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField field={field('name')} label="Name" description="Does not change the URLs" required />
          <SelectField
            field={field('framework')}
            label="Framework"
            options={FRAMEWORKS}
            optionLabels={FRAMEWORK_LABELS}
          />
          <TextField field={field('repoUrl')} label="Git repository" />
          <TextField field={field('branch')} label="Production branch" />
          <SelectField field={field('nodeVersion')} label="Node version" options={NODE_VERSIONS} />
          <TextField field={field('installCommand')} label="Install command" />
          <TextField field={field('buildCommand')} label="Build command" placeholder="build script, if any" />
          <TextField field={field('startFile')} label="Start file" />
          <TextField field={field('startCommand')} label="Start command" placeholder="none" />
          <TextField field={field('rootDirectory')} label="Root directory" placeholder="the repository" />
          <TextField field={field('healthCheckPath')} label="Health-check path" />
        </SimpleGrid>
        <SwitchField field={field('autoDeploy')} label="Deploy on every push to the branch" />
      </FormBox>
    </Section>
  );
}

function DeleteApp({ app }: { app: Application }) {
  const remove = useDeleteApp();
  const openAfter = useOpenAfter();
  const deleteApp = async () => {
    await remove.mutateAsync({ params: { id: app.id } });
    toast(`${app.name} was deleted.`);
    openAfter('/apps');
  };
  return (
    <Group justify="space-between" className="card" p="md">
      <Text size="sm">Delete this application, its site, releases, databases, variables and logs.</Text>
      <ConfirmButton
        label="Delete application"
        question={`Delete “${app.name}”?`}
        confirmationText={app.name}
        onConfirm={deleteApp}
      >
        {servingDomain(app)} goes offline immediately. Its releases, variables, logs, and databases with all their data
        are deleted permanently.
      </ConfirmButton>
    </Group>
  );
}
