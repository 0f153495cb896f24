import { Alert, Group, SimpleGrid, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { createApp } from '../../contract/apps/apps.ts';
import { toSlug } from '../../contract/apps/slug.ts';
import { FRAMEWORK_DEFAULTS, FRAMEWORKS } from '../../contract/enums.ts';
import { useApi } from '../api/context.ts';
import { useMe } from '../api/use-me.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { AdvancedSettings } from './AdvancedSettings.tsx';
import { useCreateApp, useRepository } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';
import { initialValues, suggestName, toBody } from './new-app-form.ts';
import { RepositoryFindings } from './RepositoryFindings.tsx';

/** Pause in typing after which the repository is inspected. */
const TYPING_PAUSE_MS = 400;

/** Returns the last value that stayed unchanged for that pause. Values are compared as JSON, because each render creates a new object. */
function useDebounced<T>(value: T): T {
  const text = JSON.stringify(value);
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(settle, TYPING_PAUSE_MS, text);
    return () => clearTimeout(timer);
  }, [text]);
  return JSON.parse(settled);
}

/** Form that creates an application. The repository comes first: the other settings are detected from it. */
export function NewApp() {
  const form = useForm(createApp.body, initialValues(useSearch()), (values) => toBody(values), 'new-app');
  const create = useCreateApp();
  const { exampleRepository } = useApi();
  const openAfter = useOpenAfter();
  const { values, field } = form;
  const { branch, rootDirectory } = values;
  const debounced = useDebounced({ url: values.repoUrl.trim(), branch, rootDirectory });
  const repository = useRepository(debounced);
  const found = repository.data?.data;
  const setting = found?.detected?.setting;
  const submit = async () => {
    const { data } = await create.mutateAsync({ body: toBody(values, setting) });
    const { id, name, activeDeploymentId } = data;
    openAfter(
      activeDeploymentId === null ? `/apps/${id}` : `/apps/${id}/deployments/${activeDeploymentId}`,
      `${name} was created.`,
    );
  };
  const repoField = field('repoUrl');
  /** Suggests the repository's name, unless the user has entered another one. */
  const chooseRepository = (repoUrl: string) => {
    const isSuggested = values.name === '' || values.name === suggestName(values.repoUrl);
    form.setValues({ repoUrl, branch: '', ...(isSuggested ? { name: suggestName(repoUrl) } : {}) });
  };
  const detectedLabel = setting ? `Automatic: ${found.detected?.framework ?? 'Node.js'}` : 'Automatic';
  const hasList = found !== undefined && found.branches.length > 0 && !found.hasMoreBranches;
  return (
    <Screen title="New application" crumbs={[{ href: '/apps', name: 'Applications' }]}>
      <AppLimit />
      <FormBox
        form={form}
        label="Create application"
        onSubmit={submit}
        secondaryAction={
          <ButtonLink href="/apps" variant="default">
            Cancel
          </ButtonLink>
        }
      >
        <TextField
          field={{ ...repoField, onChange: chooseRepository }}
          label="Git repository"
          description="Required to deploy: https://… or git@…"
          placeholder={exampleRepository || 'https://github.com/your-name/your-app.git'}
        />
        <RepositoryFindings url={debounced.url} query={repository} />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={field('name')}
            label="Name"
            required
            description={values.name === '' ? '2 to 60 characters' : `URL: ${toSlug(values.name)}.apps…`}
          />
          {hasList ? (
            <SelectField
              field={field('branch')}
              label="Production branch"
              options={['', ...found.branches]}
              optionLabels={{ '': `Default: ${found.defaultBranch ?? found.branches[0]}` }}
            />
          ) : (
            <TextField
              field={field('branch')}
              label="Production branch"
              description="Empty: main, or the repository’s default branch"
              placeholder="main"
            />
          )}
          <SelectField
            field={field('framework')}
            label="Framework"
            description="Sets the default build command and start file"
            options={['', ...FRAMEWORKS]}
            optionLabels={{ '': detectedLabel, ...FRAMEWORK_LABELS }}
          />
        </SimpleGrid>
        <AdvancedSettings form={form} defaults={FRAMEWORK_DEFAULTS[values.framework || (setting ?? 'NODE')]} />
        <SwitchField field={field('deployNow')} label="Deploy after creation" />
      </FormBox>
    </Screen>
  );
}

/** The plan's application limit. Once it is reached, offers an upgrade. */
function AppLimit() {
  const account = useMe().data?.data.account;
  if (!account)
    return (
      // The line of the text that follows: the form must not move under the pointer.
      <Text size="sm" aria-hidden>
        &nbsp;
      </Text>
    );
  const limit = account.limits.applications;
  const used = account.usage.applications ?? 0;
  if (used < limit) {
    return (
      <Text size="sm" c="dimmed">
        {used} of {limit} applications in use.
      </Text>
    );
  }
  return (
    <Alert role="status" variant="default" style={{ borderColor: 'var(--warn)' }}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          You've reached your plan's app limit ({limit}). Upgrade, delete an application, or change the repository of
          one in its settings.
        </Text>
        <ButtonLink href="/billing/plans" size="xs">
          Upgrade
        </ButtonLink>
      </Group>
    </Alert>
  );
}
