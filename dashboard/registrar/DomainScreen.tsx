import { Group, Text } from '@mantine/core';
import { AddRecord } from '../dns/AddRecord.tsx';
import { Records } from '../dns/Records.tsx';
import { type Domain, useDomain, useRecords } from '../domains/api.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';

/** One domain: how it stands, and its records. */
export function DomainScreen({ id }: { id: string }) {
  const domain = useDomain(id);
  const records = useRecords(id);
  const found = domain.data?.data;
  const ours = records.data?.provider === 'PLATFORM';
  return (
    <Screen
      title={found?.name ?? 'Domain'}
      back={{ href: '/domains', name: 'Domains' }}
      id={found?.id}
      beside={found && <Status of={found.status} />}
    >
      <Loaded query={domain} lines={1}>
        {({ data }) => <About domain={data} />}
      </Loaded>
      <Section title="DNS records">
        <Loaded query={records}>
          {({ data, provider }) =>
            provider === 'PLATFORM' ? (
              <Records id={id} domain={found?.name ?? ''} records={data} />
            ) : (
              <Text size="sm">Other name servers answer for this domain; its records are managed there.</Text>
            )
          }
        </Loaded>
      </Section>
      {ours && found && (
        <Section title="Add a record">
          <AddRecord id={id} domain={found.name} />
        </Section>
      )}
    </Screen>
  );
}

const About = ({ domain: { registeredAt, expiresAt, autoRenew, nameservers } }: { domain: Domain }) => (
  <Group gap="xl">
    <Text size="sm">{registeredAt ? `Registered ${dateOf(registeredAt)}` : 'Not registered yet'}</Text>
    {expiresAt && (
      <Text size="sm">
        {autoRenew ? 'Renews' : 'Expires'} {dateOf(expiresAt)}
      </Text>
    )}
    <Text size="sm" c="dimmed" className="break">
      Name servers: {nameservers.join(', ')}
    </Text>
  </Group>
);
