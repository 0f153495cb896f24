import { Status } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { ResendDelivery } from './AccountActs.tsx';
import { ListSection, NameWithId } from './AccountLists.tsx';
import type { AccountPage } from './api.ts';
import { Suspend } from './Suspend.tsx';

/** Keys, endpoints and deliveries of an account. */
export function AccountAccess({ page: { account, keys, endpoints, deliveries } }: { page: AccountPage }) {
  const { id: accountId } = account;
  return (
    <>
      <ListSection
        title="API keys"
        items={keys}
        idOf={({ id }) => id}
        columns={[
          {
            name: 'Name',
            show: ({ id, name, lastFour }) => <NameWithId name={`${name} …${lastFour ?? ''}`} id={id} />,
          },
          { name: 'Scopes', show: ({ scopes }) => scopes.join(', ') },
          {
            name: 'Status',
            show: (key) => <Status value={statusOfKey(key)} />,
          },
          { name: 'Last used', show: ({ lastUsedAt }) => lastUsedAt && <TimeAgo at={lastUsedAt} /> },
          {
            name: 'Actions',
            show: ({ id, name, suspension, revokedAt }) =>
              (suspension !== null || revokedAt === null) && (
                <Suspend {...{ accountId, name, suspended: suspension !== null }} target={{ keyId: id }} />
              ),
          },
        ]}
      />
      <ListSection
        title="Webhook endpoints"
        items={endpoints}
        idOf={({ id }) => id}
        columns={[
          { name: 'URL', show: ({ url, id }) => <NameWithId name={url} id={id} /> },
          { name: 'Failures', show: ({ failureCount }) => failureCount, number: true },
          {
            name: 'Status',
            show: ({ active, suspension }) => (
              <Status value={suspension ? 'SUSPENDED' : active ? 'ACTIVE' : 'DISABLED'} />
            ),
          },
          {
            name: 'Actions',
            show: ({ id, url, suspension }) => (
              <Suspend {...{ accountId, name: url, suspended: suspension !== null }} target={{ endpointId: id }} />
            ),
          },
        ]}
      />
      <ListSection
        title="Deliveries"
        items={deliveries}
        idOf={({ id }) => id}
        columns={[
          { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
          { name: 'Event', show: ({ type, id }) => <NameWithId name={type} id={id} /> },
          {
            name: 'Endpoint',
            show: ({ webhookId }) => (
              <span className="break">{endpoints.find(({ id }) => id === webhookId)?.url ?? webhookId}</span>
            ),
          },
          { name: 'Attempts', show: ({ attempts, lastOutcome }) => `${attempts} ${lastOutcome ?? ''}` },
          { name: 'Next', show: ({ nextAttemptAt }) => nextAttemptAt && <TimeAgo at={nextAttemptAt} /> },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          { name: 'Actions', show: ({ id }) => <ResendDelivery {...{ accountId, id }} /> },
        ]}
      />
    </>
  );
}

function statusOfKey({ revokedAt, suspension, expiresAt }: AccountPage['keys'][number]): string {
  if (revokedAt) return 'REVOKED';
  if (suspension) return 'SUSPENDED';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'EXPIRED' : 'ACTIVE';
}
