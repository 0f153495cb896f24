import { Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { type Endpoint, useDeleteEndpoint, useEnableEndpoint, useEndpoints, usePing } from '../developers/api.ts';
import { RotateSecret } from '../developers/RotateSecret.tsx';
import { ActButton } from '../ui/ActionButton.tsx';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { tell } from '../ui/toast.ts';
import { Deliveries } from './Deliveries.tsx';

const BACK = { href: '/developers/webhooks', name: 'Webhooks' };

/** One endpoint: what it gets, how it did, and what can be done about it. */
export function EndpointScreen({ id }: { id: string }) {
  const endpoints = useEndpoints();
  const found = endpoints.data?.data.find((each) => each.id === id);
  return (
    <Screen
      title="Webhook endpoint"
      back={BACK}
      id={found?.id}
      beside={found && <Status of={found.active ? 'ACTIVE' : 'DISABLED'} />}
      actions={found && <Actions endpoint={found} />}
    >
      <Loaded query={endpoints}>
        {() => (found ? <About endpoint={found} /> : <Empty title="There is no such endpoint" />)}
      </Loaded>
      <Deliveries id={id} active={found?.active === true} />
    </Screen>
  );
}

const About = ({ endpoint: { url, description, events, active, failureCount } }: { endpoint: Endpoint }) => (
  <Stack gap={4}>
    <Text fw={600} className="break">
      {url}
    </Text>
    <Text size="sm" c="dimmed" className="break">
      {description && `${description} · `}
      {events.includes('*') ? 'all events' : events.join(', ')}
    </Text>
    {failureCount > 0 && <Text size="sm">{failureCount} attempts failed in a row.</Text>}
    {!active && (
      <Text size="sm">
        It was disabled because too many attempts failed. Events meanwhile are kept as skipped: enable it, then send
        them again.
      </Text>
    )}
  </Stack>
);

function Actions({ endpoint: { id, active, url } }: { endpoint: Endpoint }) {
  const ping = usePing();
  const enable = useEnableEndpoint();
  const remove = useDeleteEndpoint();
  const [, navigate] = useLocation();
  const input = { params: { id } };
  const doEnable = async () => {
    await enable.mutateAsync(input);
    tell('The endpoint receives events again.');
  };
  const doPing = async () => {
    await ping.mutateAsync(input);
    tell('A ping is on its way.');
  };
  const doDelete = async () => {
    await remove.mutateAsync(input);
    navigate(BACK.href);
  };
  return (
    <>
      {active ? <ActButton act={doPing}>Send a ping</ActButton> : <ActButton act={doEnable}>Enable</ActButton>}
      <RotateSecret id={id} />
      <Confirm label="Delete" question="Delete this endpoint?" act={doDelete}>
        <span className="break">{url}</span> receives nothing more.
      </Confirm>
    </>
  );
}
