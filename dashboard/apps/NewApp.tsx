import { Alert, Group, SimpleGrid, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { createApp } from '../../contract/apps/apps.ts';
import { FRAMEWORK_DEFAULTS, FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import type { CallerInput } from '../../contract/route.ts';
import { useMe } from '../accounts/api.ts';
import { FormBox } from '../form/FormBox.tsx';
import { SelectField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { useCreateApp } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';

type Body = NonNullable<CallerInput<typeof createApp>['body']>;
type Framework = (typeof FRAMEWORKS)[number];

const INITIAL_VALUES = {
  ...{
    name: '',
    framework: 'NEXTJS' as Framework,
    repoUrl: '',
    branch: '',
    nodeVersion: '' as '' | (typeof NODE_VERSIONS)[number],
  },
  ...{ customDomain: '', rootDirectory: '', installCommand: '', buildCommand: '', startFile: '', startCommand: '' },
  ...{ healthCheckPath: '', deployNow: true },
};

/** Converts the form to a request. Empty fields are omitted, so that the contract's defaults apply. */
const toBody = ({ name, framework, deployNow, ...texts }: typeof INITIAL_VALUES): Body => {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  return { ...given, name, framework, deployNow };
};

const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Form that creates an application. */
export function NewApp() {
  const form = useForm(createApp.body, INITIAL_VALUES, toBody, 'new-app');
  const create = useCreateApp();
  const [, navigate] = useLocation();
  const { values, field } = form;
  const defaults = FRAMEWORK_DEFAULTS[values.framework];
  const submit = async () => {
    const { data } = await create.mutateAsync({ body: toBody(values) });
    const { id, activeDeploymentId } = data;
    navigate(activeDeploymentId === null ? `/apps/${id}` : `/apps/${id}/deployments/${activeDeploymentId}`);
  };
  const account = useMe().data?.data.account;
  const used = account?.usage.applications ?? 0;
  const limit = account?.limits.applications;
  return (
    <Screen title="New application" back={{ href: '/apps', name: 'Applications' }}>
      {limit !== undefined && used >= limit && (
        <Alert role="status" variant="default" style={{ borderColor: 'var(--warn)' }}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">You've reached your plan's app limit ({limit}).</Text>
            <ButtonLink href="/billing/plans" size="xs">
              Upgrade
            </ButtonLink>
          </Group>
        </Alert>
      )}
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
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={field('name')}
            label="Name"
            required
            description={values.name === '' ? '2 to 60 characters' : `URL: ${toSlug(values.name)}.apps…`}
          />
          <SelectField
            field={field('framework')}
            label="Framework"
            description="Sets the default build command and start file"
            options={FRAMEWORKS}
            optionLabels={FRAMEWORK_LABELS}
          />
          <TextField
            field={field('repoUrl')}
            label="Git repository"
            description="Required to deploy: https://… or git@…"
            placeholder="https://git.localhost/hello-express.git"
          />
          <TextField
            field={field('branch')}
            label="Production branch"
            description="Empty: main, or the repository’s default branch"
            placeholder="main"
          />
          <SelectField
            field={field('nodeVersion')}
            label="Node version"
            description="Automatic: as package.json says, else 22"
            options={['', ...NODE_VERSIONS]}
            optionLabels={{ '': 'Automatic' }}
          />
          <TextField field={field('customDomain')} label="Custom domain" placeholder="shop.example.com" />
          <TextField field={field('installCommand')} label="Install command" placeholder="npm ci" />
          <TextField
            field={field('buildCommand')}
            label="Build command"
            description="Empty: the build script of package.json, if any"
            placeholder={defaults.buildCommand ?? 'npm run build'}
          />
          <TextField
            field={field('startFile')}
            label="Start file"
            description="Empty: as package.json and the framework say"
            placeholder={defaults.startFile}
          />
          <TextField
            field={field('startCommand')}
            label="Start command"
            description="Used instead of a start file"
            placeholder="node dist/server.js"
          />
          <TextField
            field={field('rootDirectory')}
            label="Root directory"
            description="Of an application inside a monorepo"
            placeholder="apps/web"
          />
          <TextField
            field={field('healthCheckPath')}
            label="Health-check path"
            description="A release goes live when this answers below 500"
            placeholder="/"
          />
        </SimpleGrid>
        <SwitchField field={field('deployNow')} label="Deploy after creation" />
        <Text size="xs" c="dimmed">
          {limit === undefined ? 'Uses one of the apps in your plan.' : `Uses 1 of your plan's ${limit} apps.`}
        </Text>
      </FormBox>
    </Screen>
  );
}
