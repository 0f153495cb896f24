import { Group, Text } from '@mantine/core';
import { AddRecord } from '../dns/AddRecord.tsx';
import { useRecords } from '../dns/api.ts';
import { Records } from '../dns/Records.tsx';
import { ActionButton } from '../ui/ActionButton.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type Domain, expiryLabel, isCurrent, notRegistered, useDomain, useUpdateDomain } from './api.ts';

/** One domain with its DNS records. */
export function DomainScreen({ id }: { id: string }) {
  const domain = useDomain(id);
  const records = useRecords(id);
  const found = domain.data?.data;
  // The records follow the details, which would shift them.
  const isRegistered = found !== undefined && isCurrent(found);
  const isManaged = isRegistered && records.data?.provider === 'PLATFORM';
  return (
    <Screen
      title={found?.name ?? 'Domain'}
      crumbs={[{ href: '/domains', name: 'Domains' }]}
      id={found?.id}
      beside={found && <Status value={found.status} />}
      actions={found?.status === 'ACTIVE' && <RenewalButton domain={found} />}
    >
      <QueryBoundary query={domain} lines={4}>
        {({ data }) => <DomainDetails domain={data} />}
      </QueryBoundary>
      {isRegistered && (
        <Section title="DNS records">
          <QueryBoundary query={records}>
            {({ data, provider }) =>
              provider === 'PLATFORM' ? (
                <Records id={id} domain={found?.name ?? ''} records={data} />
              ) : (
                <Text size="sm">This domain uses external name servers. Manage its records there.</Text>
              )
            }
          </QueryBoundary>
        </Section>
      )}
      {isManaged && (
        <Section title="Add a record">
          <AddRecord id={id} domain={found.name} />
        </Section>
      )}
    </Screen>
  );
}

function RenewalButton({ domain: { id, autoRenew } }: { domain: Domain }) {
  const update = useUpdateDomain();
  return (
    <ActionButton
      right="develop"
      action={() => update.mutateAsync({ params: { id }, body: { autoRenew: !autoRenew } })}
    >
      {autoRenew ? 'Stop renewing' : 'Renew automatically'}
    </ActionButton>
  );
}

function DomainDetails({ domain }: { domain: Domain }) {
  const { status, registeredAt, expiresAt, nameservers } = domain;
  return (
    <Group style={{ gap: '0.25rem var(--mantine-spacing-xl)' }}>
      <Text size="sm">{registeredAt ? `Registered ${formatDate(registeredAt)}` : notRegistered(domain)}</Text>
      {expiresAt && (
        <Text size="sm">
          {expiryLabel(domain)} {formatDate(expiresAt)}
        </Text>
      )}
      {status === 'FAILED' && (
        <Text size="sm">
          If you paid for it, the payment was refunded to your wallet.{' '}
          <TextLink href="/domains">Search for another name</TextLink>
        </Text>
      )}
      {isCurrent(domain) && nameservers.length > 0 && (
        <Text size="sm" c="dimmed" className="break">
          Name servers: {nameservers.join(', ')}
        </Text>
      )}
    </Group>
  );
}
