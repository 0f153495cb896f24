import { Alert, Group, Stack, Text } from '@mantine/core';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { type BuildStep, remedyFor } from './build-steps.ts';
import { Elapsed } from './Duration.tsx';
import type { Serving } from './serving.ts';

const LABELS: Readonly<Record<BuildStep['state'], string>> = { DONE: 'Done', RUNNING: 'Running', FAILED: 'Failed' };
const STATUSES: Readonly<Record<BuildStep['state'], string>> = {
  DONE: 'SUCCEEDED',
  RUNNING: 'BUILDING',
  FAILED: 'FAILED',
};

/** The steps of a build with their durations. */
export const BuildSteps = ({ steps }: { steps: readonly BuildStep[] }) =>
  steps.length === 0 ? null : (
    <ol className="card steps" aria-label="Steps">
      {steps.map(({ title, state, startedAt, finishedAt }) => (
        <li key={`${startedAt} ${title}`} className="row">
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="sm" className="break">
              {title}
            </Text>
            <Group gap="sm" wrap="nowrap">
              <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                <Elapsed {...{ startedAt, finishedAt }} />
              </Text>
              <Status value={STATUSES[state]} label={LABELS[state]} />
            </Group>
          </Group>
        </li>
      ))}
    </ol>
  );

interface BuildFailureProps {
  appId: string;
  reason: string;
  /** Which deployment is live; undefined if that is not known. */
  serving: Serving | undefined;
}

const SERVING_TEXTS: Readonly<Record<Serving, string>> = {
  EARLIER: 'The previous deployment is still live. ',
  NEWER: 'A newer deployment is live.',
  NONE: 'Nothing is live yet. ',
};

/** The reason of a failed deployment, what is live now, and a link to the screen that fixes it. */
export function BuildFailure({ appId, reason, serving }: BuildFailureProps) {
  const remedy = remedyFor(reason);
  return (
    <Alert variant="default" style={{ borderColor: 'var(--bad)' }} aria-label="Deployment failed" role="region">
      <Group justify="space-between" gap="sm">
        <Stack gap={2} style={{ flex: '1 1 16rem' }}>
          <Text size="sm" fw={600} c="var(--bad)" className="break">
            Deployment failed: {reason}
          </Text>
          <Text size="sm">
            {serving && SERVING_TEXTS[serving]}
            {serving !== 'NEWER' && `${remedy ? 'Fix the cause' : 'Fix the code and push it'}, then redeploy.`}
          </Text>
        </Stack>
        {remedy && serving !== 'NEWER' && (
          <ButtonLink size="xs" href={`/apps/${appId}${remedy.path}`}>
            {remedy.name}
          </ButtonLink>
        )}
      </Group>
    </Alert>
  );
}
