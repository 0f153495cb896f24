import { Alert, Stack, Text } from '@mantine/core';
import { TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import type { Application } from './api.ts';

/** The reasons why an application is suspended; nothing if it is not. */
export function SuspensionAlert({ suspensions = [] }: Pick<Application, 'suspensions'>) {
  if (suspensions.length === 0) return null;
  return (
    <Alert role="status" color="yellow" variant="default" title="This application is suspended">
      <Stack gap={4}>
        {suspensions.map(({ cause, reason, since }) => (
          <Text key={cause} size="sm" className="break">
            {reason} (<TimeAgo at={since} />){' '}
            {cause === 'PLAN' && <TextLink href="/billing/plans">Upgrade your plan</TextLink>}
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          Visitors see a notice, and deployments are refused. Data, variables and domains are kept.
        </Text>
      </Stack>
    </Alert>
  );
}
