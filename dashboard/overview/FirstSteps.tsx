import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useApi } from '../api/context.ts';
import { useMe } from '../api/use-me.ts';
import { useApps, useCreateApp } from '../apps/api.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { Section } from '../ui/Section.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { useOpenAfter } from '../ui/use-open-after.ts';
import { exampleToReplace, firstSteps, type StepId } from './first-steps.ts';

const DISMISSED = 'first-steps-dismissed';

/** Returns true if the user has dismissed the account's checklist in this browser, and a function that dismisses it. */
function useDismissed(accountId: string | undefined): [isDismissed: boolean, dismiss: () => void] {
  const [, setCount] = useState(0);
  return [
    accountId !== undefined && localStorage.getItem(DISMISSED) === accountId,
    () => {
      if (accountId !== undefined) localStorage.setItem(DISMISSED, accountId);
      setCount((count) => count + 1);
    },
  ];
}

const link = (href: string, name: string) => (
  <ButtonLink href={href} size="xs" variant="default">
    {name}
  </ButtonLink>
);

interface Step {
  title: string;
  description: string;
  action: ReactNode;
}

const STEPS: Readonly<Record<StepId, Step>> = {
  example: {
    title: 'Deploy an example',
    description: 'A small Express application, live in about a minute.',
    action: <DeployExample />,
  },
  repository: {
    title: 'Deploy your repository',
    description: 'Paste its URL. The framework and commands are detected.',
    action: link('/apps/new', 'Choose a repository'),
  },
  key: {
    title: 'Create an API key',
    description: 'For the command line, CI and your own code.',
    action: link('/developers', 'Create a key'),
  },
  webhook: {
    title: 'Add a webhook endpoint',
    description: 'Receive an event for every deployment and payment.',
    action: link('/developers/webhooks', 'Add an endpoint'),
  },
  credits: {
    title: 'Buy AI credits',
    description: 'One key for the models of every provider.',
    action: link('/ai', 'Buy credits'),
  },
};

/** The repository step if the example uses up the plan's application limit. */
const replaceExample = (id: string): Step => ({
  title: STEPS.repository.title,
  description: 'You have reached your plan’s application limit. Change the repository of the example to yours.',
  action: link(`/apps/${id}/settings`, 'Replace the example'),
});

/** Checklist of a new account. Steps are checked off automatically. It disappears when it is complete or dismissed. */
export function FirstSteps() {
  const { exampleRepository } = useApi();
  const me = useMe().data?.data;
  const apps = useApps().data?.data;
  const [isDismissed, dismiss] = useDismissed(me?.account.id);
  if (!me || !apps || isDismissed) return null;
  const state = { account: me.account, hasAiCredits: me.hasAiCredits, apps, exampleRepository };
  const example = exampleToReplace(state);
  const steps = firstSteps(state).map(({ id, isDone }) => {
    const step = id === 'repository' && example ? replaceExample(example.id) : STEPS[id];
    return { id, isDone, ...step };
  });
  const remaining = steps.filter(({ isDone }) => !isDone).length;
  if (remaining === 0) return null;
  return (
    <Section
      title="First steps"
      description={`${steps.length - remaining} of ${steps.length} done`}
      actions={
        <Button variant="default" size="xs" onClick={dismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="card steps" aria-label="First steps">
        {steps.map(({ id, isDone, title, description, action }) => (
          <li key={id} className="row">
            <Group justify="space-between" gap="xs">
              <Group gap="sm" wrap="nowrap">
                <span aria-hidden="true" className={isDone ? 'check check-done' : 'check'}>
                  {isDone ? '✓' : ''}
                </span>
                <div>
                  <Text size="sm" fw={600}>
                    {title}
                  </Text>
                  {!isDone && (
                    <Text size="sm" c="dimmed">
                      {description}
                    </Text>
                  )}
                </div>
              </Group>
              {isDone ? (
                <Text size="sm" c="dimmed">
                  Done
                </Text>
              ) : (
                action
              )}
            </Group>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** Creates an application from the installation's example and opens its deployment. */
function DeployExample() {
  const { exampleRepository } = useApi();
  const create = useCreateApp();
  const openAfter = useOpenAfter();
  const deploy = async () => {
    const { data } = await create.mutateAsync({
      body: { name: 'Example', framework: 'NODE', repoUrl: exampleRepository },
    });
    openAfter(
      data.activeDeploymentId ? `/apps/${data.id}/deployments/${data.activeDeploymentId}` : `/apps/${data.id}`,
      `${data.name} was created.`,
    );
  };
  return (
    <ActionButton size="xs" variant="filled" right="develop" action={deploy}>
      Deploy the example
    </ActionButton>
  );
}
