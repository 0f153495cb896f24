import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { AppRows } from '../apps/AppList.tsx';
import { useApps } from '../apps/api.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { FailureNote } from '../ui/FailureAlert.tsx';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Figure } from '../ui/Stat.tsx';
import { ButtonLink, TextLink } from '../ui/TextLink.tsx';
import { type Account, type Unpaid, useMe, useUnpaid } from './api.ts';

const SHOWN = 5;

/** How things are, and what to do next. */
export default function Overview() {
  const me = useMe();
  const apps = useApps();
  const unpaid = useUnpaid();
  return (
    <Screen title="Overview">
      <Figures
        account={me.data?.data.account}
        apps={apps.data && `${apps.data.data.length}${apps.data.has_more ? '+' : ''}`}
        unpaid={unpaid.data}
      />
      {me.isError && !me.data && <FailureNote error={me.error} retry={() => void me.refetch()} />}
      <Section title="Applications" actions={<ButtonLink href="/apps/new">New application</ButtonLink>}>
        <Loaded query={apps}>
          {({ data }) => (data.length === 0 ? <FirstSteps /> : <AppRows apps={data.slice(0, SHOWN)} />)}
        </Loaded>
      </Section>
    </Screen>
  );
}

interface FiguresProps {
  account: Account | undefined;
  apps: string | undefined;
  unpaid: Unpaid | undefined;
}

/** The three numbers that matter. They have their place before they are known: nothing jumps when they come. */
const Figures = ({ account, apps, unpaid }: FiguresProps) => (
  <SimpleGrid cols={{ base: 1, xs: 3 }} aria-busy={account === undefined || unpaid === undefined}>
    <Stack className="card" p="md" gap={4}>
      <Figure name="Wallet" value={account ? rand(account.walletBalance) : UNKNOWN} />
      <TextLink href="/billing">Top up</TextLink>
    </Stack>
    <Stack className="card" p="md" gap={4}>
      <Figure
        name="Applications"
        value={account && apps !== undefined ? `${apps} of ${account.plan.appLimit}` : UNKNOWN}
      />
      <TextLink href="/billing/plans">{account ? `Plan: ${account.plan.name}` : 'Plan'}</TextLink>
    </Stack>
    <Stack className="card" p="md" gap={4}>
      <Figure name="To pay" value={unpaid ? sumOf(unpaid) : UNKNOWN} />
      <TextLink href="/billing/invoices">{unpaid ? countOf(unpaid) : 'Invoices'}</TextLink>
    </Stack>
  </SimpleGrid>
);

const UNKNOWN = '–';

const sumOf = ({ data, has_more }: Unpaid): string =>
  `${rand(data.reduce((so, { amount }) => so + Number(amount), 0))}${has_more ? ' and more' : ''}`;

function countOf({ data: { length } }: Unpaid): string {
  if (length === 0) return 'No unpaid invoices';
  return `${length} unpaid ${length === 1 ? 'invoice' : 'invoices'}`;
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
