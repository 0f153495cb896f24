import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { AppRows } from '../apps/AppList.tsx';
import { useApps } from '../apps/api.ts';
import { Empty } from '../ui/Empty.tsx';
import { Figure } from '../ui/Figure.tsx';
import { Loaded, Waiting } from '../ui/Loaded.tsx';
import { rand } from '../ui/money.ts';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { ButtonLink, TextLink } from '../ui/TextLink.tsx';
import { useMe, useUnpaid } from './api.ts';

const SHOWN = 5;

/** How things are, and what to do next. */
export default function Overview() {
  const me = useMe();
  const apps = useApps();
  return (
    <Screen title="Overview">
      <Loaded query={me} lines={1}>
        {({ data: { account } }) => (
          <SimpleGrid cols={{ base: 1, xs: 3 }}>
            <Stack className="card" p="md" gap={4}>
              <Figure name="Wallet" value={rand(account.walletBalance)} />
              <TextLink href="/billing">Top up</TextLink>
            </Stack>
            <Stack className="card" p="md" gap={4}>
              <Figure name="Applications" value={`${apps.data?.data.length ?? '–'} of ${account.plan.appLimit}`} />
              <TextLink href="/billing/plans">{`Plan: ${account.plan.name}`}</TextLink>
            </Stack>
            <Unpaid />
          </SimpleGrid>
        )}
      </Loaded>
      <Section title="Applications" actions={<ButtonLink href="/apps/new">New application</ButtonLink>}>
        <Loaded query={apps}>
          {({ data }) => (data.length === 0 ? <FirstSteps /> : <AppRows apps={data.slice(0, SHOWN)} />)}
        </Loaded>
      </Section>
    </Screen>
  );
}

/** What is to be paid. */
function Unpaid() {
  const unpaid = useUnpaid();
  if (unpaid.data === undefined) return <Waiting lines={1} />;
  const { data, has_more } = unpaid.data;
  const sum = data.reduce((so, { amount }) => so + Number(amount), 0);
  return (
    <Stack className="card" p="md" gap={4}>
      <Figure name="To pay" value={`${rand(sum)}${has_more ? ' and more' : ''}`} />
      <TextLink href="/billing/invoices">
        {data.length === 0
          ? 'No unpaid invoices'
          : `${data.length} unpaid ${data.length === 1 ? 'invoice' : 'invoices'}`}
      </TextLink>
    </Stack>
  );
}

const FirstSteps = () => (
  <Empty title="Welcome" action={<ButtonLink href="/apps/new">Deploy your first application</ButtonLink>}>
    Give the address of a Git repository, and it is built and served.
    <Group justify="center" gap="md" mt="xs" component="span">
      <Text span size="sm">
        Or begin elsewhere:
      </Text>
      <TextLink href="/domains">find a domain</TextLink>
      <TextLink href="/developers">create an API key</TextLink>
      <TextLink href="/ai/playground">try an AI model</TextLink>
    </Group>
  </Empty>
);
