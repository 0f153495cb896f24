import { memo } from 'react';
import { NEAR_BUDGET } from '../../contract/accounts/api-keys.ts';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { CopyId } from '../ui/CopyId.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { formatRand } from '../ui/money.ts';
import { Row } from '../ui/Row.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { budgetShare } from './ai-budget.ts';
import { type ApiKey, useApiKeys, useRevokeApiKey } from './api.ts';
import { EditApiKey } from './EditApiKey.tsx';
import { NewApiKey } from './NewApiKey.tsx';

/** The account's API keys, including revoked ones. */
export function ApiKeys() {
  const filter = useListFilter();
  const keys = useApiKeys({ allPages: filter.isActive });
  const { mutateAsync: revoke } = useRevokeApiKey();
  return (
    <Section
      title="API keys"
      description="A secret key can do what its scopes allow. A public key reads the catalogue from a browser."
      actions={<NewApiKey />}
    >
      <FilteredList
        name="keys"
        list={keys}
        filter={filter}
        view={VIEW}
        empty={<EmptyState title="No keys yet">Create a key to call the API from your code.</EmptyState>}
      >
        {(items) => (
          <div className="card">
            {items.map((key) => (
              <ApiKeyRow key={key.id} apiKey={key} revoke={revoke} />
            ))}
          </div>
        )}
      </FilteredList>
    </Section>
  );
}

/** Returns the current status of a key. */
function keyStatus({ revokedAt, expiresAt }: ApiKey): 'ACTIVE' | 'REVOKED' | 'EXPIRED' {
  if (revokedAt) return 'REVOKED';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'EXPIRED' : 'ACTIVE';
}

const VIEW: ListView<ApiKey> = {
  text: ({ name, scopes, publicKey, lastFour }) => `${name} ${scopes.join(' ')} ${publicKey} ${lastFour ?? ''}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    used: {
      label: 'Last used',
      compare: (a, b) => Date.parse(b.lastUsedAt ?? '1970-01-01') - Date.parse(a.lastUsedAt ?? '1970-01-01'),
    },
    expiry: { label: 'Expiry', compare: byTime(({ expiresAt }) => expiresAt) },
  },
  status: keyStatus,
};

interface ApiKeyRowProps {
  apiKey: ApiKey;
  revoke: ReturnType<typeof useRevokeApiKey>['mutateAsync'];
}

const ApiKeyRow = memo(({ apiKey: key, revoke }: ApiKeyRowProps) => {
  const status = keyStatus(key);
  const revokeKey = async () => {
    await revoke({ params: { id: key.id } });
    toast(`${key.name} was revoked.`);
  };
  return (
    <Row
      title={
        <>
          {key.name} <Status value={status} />
        </>
      }
      detail={
        <>
          {key.scopes.join(', ')}
          <div>
            <CopyId id={key.publicKey} />
          </div>
          <small>
            {key.lastFour && `secret key ending in ${key.lastFour} · `}
            created <TimeAgo at={key.createdAt} />
            {key.createdBy && ` by ${key.createdBy}`} ·{' '}
            {key.lastUsedAt ? (
              <>
                last used <TimeAgo at={key.lastUsedAt} />
              </>
            ) : (
              'never used'
            )}
            {key.expiresAt && (
              <>
                {' '}
                · {status === 'EXPIRED' ? 'expired' : 'expires'} <TimeAgo at={key.expiresAt} />
              </>
            )}
            {key.allowedOrigins.includes('*') ? '' : ` · public key only from ${key.allowedOrigins.join(', ')}`}
          </small>
          <AiSpending apiKey={key} />
        </>
      }
    >
      {status !== 'REVOKED' && (
        <>
          <EditApiKey apiKey={key} />
          <ConfirmButton label="Revoke" size="xs" question={`Revoke “${key.name}”?`} onConfirm={revokeKey}>
            Requests with this key are rejected immediately. A revoked key cannot be restored.
          </ConfirmButton>
        </>
      )}
    </Row>
  );
});

/** The AI credits that a key has spent this month, and its budget; nothing if it has neither. */
function AiSpending({ apiKey: key }: { apiKey: ApiKey }) {
  const share = budgetShare(key);
  if (share === undefined && Number(key.aiSpent) === 0) return null;
  return (
    <div>
      <small className={share !== undefined && share >= NEAR_BUDGET ? 'row-warning' : ''}>
        AI this month: {formatRand(key.aiSpent)}
        {key.aiBudget !== null && ` of ${formatRand(key.aiBudget)}`}
      </small>
    </div>
  );
}
