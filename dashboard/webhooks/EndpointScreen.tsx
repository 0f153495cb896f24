import { Stack, Text } from '@mantine/core';
import { MAX_CONSECUTIVE_FAILURES } from '../../contract/webhooks/endpoints.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { count } from '../ui/count.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { toast } from '../ui/toast.ts';
import { useOpenAfter } from '../ui/use-open-after.ts';
import {
  ENDPOINT_POLL_MS,
  type Endpoint,
  type Ping,
  useDeleteEndpoint,
  useEnableEndpoint,
  useEndpoints,
  usePing,
  useUpdateEndpoint,
} from './api.ts';
import { Deliveries } from './Deliveries.tsx';
import { EditEndpoint } from './EditEndpoint.tsx';
import { EndpointFigures } from './EndpointFigures.tsx';
import { RotateSecret } from './RotateSecret.tsx';

const WEBHOOKS = { href: '/developers/webhooks', name: 'Webhooks' };
const CRUMBS = [{ href: '/developers', name: 'Developers' }, WEBHOOKS];

/** One endpoint: events, deliveries and actions. */
export function EndpointScreen({ id }: { id: string }) {
  const endpoints = useEndpoints({ pollInterval: ENDPOINT_POLL_MS });
  const ping = usePing();
  const found = endpoints.data?.data.find((endpoint) => endpoint.id === id);
  return (
    <Screen
      title="Webhook endpoint"
      crumbs={CRUMBS}
      id={found?.id}
      beside={found && <Status value={found.active ? 'ACTIVE' : 'DISABLED'} />}
      actions={found && <Actions endpoint={found} ping={ping} />}
    >
      <QueryBoundary query={endpoints}>
        {() => (found ? <EndpointDetails endpoint={found} /> : <EndpointNotFound />)}
      </QueryBoundary>
      {found && <EndpointFigures id={id} />}
      {found && <Deliveries endpoint={found} ping={ping} />}
    </Screen>
  );
}

const EndpointNotFound = () => (
  <EmptyState title="Endpoint not found" action={<ButtonLink href={WEBHOOKS.href}>Go to webhooks</ButtonLink>}>
    The endpoint may have been deleted, or the URL is wrong.
  </EmptyState>
);

const EndpointDetails = ({ endpoint: { url, description, events, active, failureCount } }: { endpoint: Endpoint }) => (
  <Stack gap={4}>
    <Text fw={600} className="break">
      {url}
    </Text>
    <Text size="sm" c="dimmed" className="break">
      {description && `${description} · `}
      {events.includes('*') ? 'All events' : events.join(', ')}
    </Text>
    {failureCount > 0 && (
      <Text size="sm" className="row-warning">
        {count(failureCount, 'consecutive failure')}.
      </Text>
    )}
    {!active && (
      <Text size="sm">
        This endpoint was disabled{' '}
        {failureCount < MAX_CONSECUTIVE_FAILURES ? 'by a member of the account' : 'after too many failed attempts'}.
        Events are skipped while it is disabled. Enable it, then replay the skipped deliveries.
      </Text>
    )}
  </Stack>
);

function Actions({ endpoint, ping }: { endpoint: Endpoint; ping: Ping }) {
  const { id, active, url } = endpoint;
  const update = useUpdateEndpoint();
  const enable = useEnableEndpoint();
  const remove = useDeleteEndpoint();
  const openAfter = useOpenAfter();
  const input = { params: { id } };
  const enableEndpoint = async () => {
    await enable.mutateAsync(input);
    toast('Endpoint enabled.');
  };
  const disableEndpoint = async () => {
    await update.mutateAsync({ ...input, body: { active: false } });
    toast('Endpoint disabled.');
  };
  const sendPing = async () => {
    await ping.mutateAsync(input);
    toast('Test event sent.');
  };
  const deleteEndpoint = async () => {
    await remove.mutateAsync(input);
    openAfter(WEBHOOKS.href, 'Endpoint deleted.');
  };
  return (
    <>
      {active ? (
        <ActionButton action={sendPing}>Send test event</ActionButton>
      ) : (
        <ActionButton action={enableEndpoint}>Enable</ActionButton>
      )}
      <EditEndpoint endpoint={endpoint} />
      <RotateSecret id={id} />
      {active && (
        <ConfirmButton
          label="Disable"
          question="Disable this endpoint?"
          destructive={false}
          onConfirm={disableEndpoint}
        >
          Events are skipped until you enable the endpoint again. You can then replay the skipped deliveries.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Delete"
        question="Delete this endpoint?"
        confirmationText={new URL(url).host}
        onConfirm={deleteEndpoint}
      >
        <span className="break">{url}</span> stops receiving events immediately.
      </ConfirmButton>
    </>
  );
}
