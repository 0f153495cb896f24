import { Group, Stack, Text } from '@mantine/core';
import { type Key, useKeys, useRevokeKey } from '../developers/api.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { CopyId } from '../ui/CopyId.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { tell } from '../ui/toast.ts';
import { NewKey } from './NewApiKey.tsx';

/** The account's API keys, those that are revoked too. */
export function Keys() {
  const keys = useKeys();
  return (
    <Section
      title="API keys"
      about="A secret key does what its scopes allow; a public key reads the catalogue from a browser."
      actions={<NewKey />}
    >
      <Loaded query={keys}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">Create one to call the API from a program of yours.</Empty>
          ) : (
            <div className="card">
              {data.map((key) => (
                <KeyRow key={key.id} of={key} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={keys} />
    </Section>
  );
}

/** What a key is good for at the moment. */
function stateOf({ revokedAt, expiresAt }: Key): 'ACTIVE' | 'REVOKED' | 'EXPIRED' {
  if (revokedAt) return 'REVOKED';
  return expiresAt && Date.parse(expiresAt) <= Date.now() ? 'EXPIRED' : 'ACTIVE';
}

function KeyRow({ of: key }: { of: Key }) {
  const revoke = useRevokeKey();
  const state = stateOf(key);
  const act = async () => {
    await revoke.mutateAsync({ params: { id: key.id } });
    tell(`${key.name} was revoked.`);
  };
  return (
    <Group className="row" justify="space-between" gap="sm">
      <Stack gap={2} style={{ minWidth: 0, flex: '1 1 18rem' }}>
        <Group gap="xs">
          <Text fw={600} className="break">
            {key.name}
          </Text>
          <Status of={state} />
        </Group>
        <Text size="sm" c="dimmed" className="break">
          {key.scopes.join(', ')}
        </Text>
        <CopyId id={key.publicKey} />
        <Text size="xs" c="dimmed" className="break">
          {key.lastUsedAt ? (
            <>
              last used <When at={key.lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
          {key.expiresAt && (
            <>
              {' '}
              · expires <When at={key.expiresAt} />
            </>
          )}
          {key.allowedOrigins.includes('*') ? '' : ` · public key only from ${key.allowedOrigins.join(', ')}`}
        </Text>
      </Stack>
      {state !== 'REVOKED' && (
        <Confirm label="Revoke" size="xs" question={`Revoke “${key.name}”?`} act={act}>
          Programs that use it are refused from now on. A revoked key cannot be brought back.
        </Confirm>
      )}
    </Group>
  );
}
