import { SimpleGrid, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { createApp } from '../../contract/apps/apps.ts';
import { FRAMEWORK_DEFAULTS, FRAMEWORKS, NODE_VERSIONS } from '../../contract/enums.ts';
import type { CallerInput } from '../../contract/route.ts';
import { FormBox } from '../form/FormBox.tsx';
import { ChoiceField, SwitchField, TextField } from '../form/fields.tsx';
import { useForm } from '../form/form.ts';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { useCreateApp } from './api.ts';
import { FRAMEWORK_WORDS } from './words.ts';

type Body = NonNullable<CallerInput<typeof createApp>['body']>;
type Framework = (typeof FRAMEWORKS)[number];

const START = {
  ...{
    name: '',
    framework: 'NEXTJS' as Framework,
    repoUrl: '',
    branch: 'main',
    nodeVersion: '22' as (typeof NODE_VERSIONS)[number],
  },
  ...{ customDomain: '', installCommand: '', buildCommand: '', startFile: '', deployNow: true },
};

/** What was left empty has the contract's default. */
const toBody = ({ name, framework, nodeVersion, deployNow, ...texts }: typeof START): Body => {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  return { ...given, name, framework, nodeVersion, deployNow };
};

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Creates an application. */
export function NewApp() {
  const form = useForm(createApp.body, START, toBody, 'new-app');
  const create = useCreateApp();
  const [, navigate] = useLocation();
  const { values, field } = form;
  const defaults = FRAMEWORK_DEFAULTS[values.framework];
  const submit = async () => {
    const { data } = await create.mutateAsync({ body: toBody(values) });
    navigate(`/apps/${data.id}`);
  };
  return (
    <Screen title="New application" back={{ href: '/apps', name: 'Applications' }}>
      <FormBox
        form={form}
        label="Create application"
        act={submit}
        beside={
          <ButtonLink href="/apps" variant="default">
            Cancel
          </ButtonLink>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            of={field('name')}
            label="Name"
            required
            description={
              values.name === '' ? '2 to 60 characters' : `Its address will begin with ${slugOf(values.name)}`
            }
          />
          <ChoiceField
            of={field('framework')}
            label="Framework"
            description="What it is built with"
            choices={FRAMEWORKS}
            names={FRAMEWORK_WORDS}
          />
          <TextField
            of={field('repoUrl')}
            label="Git repository"
            description="https://… or git@…; without one nothing is deployed yet"
            placeholder="https://git.localhost/hello-express.git"
          />
          <TextField of={field('branch')} label="Branch" description="The branch that is deployed" />
          <ChoiceField of={field('nodeVersion')} label="Node version" choices={NODE_VERSIONS} />
          <TextField of={field('customDomain')} label="Own domain" placeholder="shop.example.com" />
          <TextField of={field('installCommand')} label="Install command" placeholder="npm ci" />
          <TextField of={field('buildCommand')} label="Build command" placeholder={defaults.buildCommand ?? 'none'} />
          <TextField of={field('startFile')} label="Start file" placeholder={defaults.startFile} />
        </SimpleGrid>
        <SwitchField of={field('deployNow')} label="Deploy as soon as it is created" />
        <Text size="xs" c="dimmed">
          It counts towards your plan's number of applications.
        </Text>
      </FormBox>
    </Screen>
  );
}
