import { SimpleGrid, Stack } from '@mantine/core';
import { type Account, useMe } from '../accounts/api.ts';
import { AppRows } from '../apps/AppRows.tsx';
import { useApps } from '../apps/api.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { ButtonLink, TextLink } from '../ui/TextLink.tsx';
import { AttentionList } from './AttentionList.tsx';
import { type UnpaidInvoices, useUnpaidInvoices } from './api.ts';
import { listAttentionItems } from './attention-items.ts';
import { FirstSteps } from './FirstSteps.tsx';

const MAX_APPS_SHOWN = 5;

/** Key figures and applications of the account, or the first steps. */
export default function Overview() {
  const me = useMe();
  const apps = useApps();
  const unpaid = useUnpaidInvoices();
  return (
    <Screen title="Overview">
      <Stats
        account={me.data?.data.account}
        apps={apps.data && `${apps.data.data.length}${apps.data.has_more ? '+' : ''}`}
        unpaid={unpaid.data}
      />
      {me.isError && !me.data && <FailureAlert error={me.error} retry={() => void me.refetch()} />}
      <AttentionList items={listAttentionItems(me.data?.data.account, apps.data?.data ?? [], unpaid.data)} />
      <FirstSteps />
      <Section title="Applications" actions={<ButtonLink href="/apps/new">New application</ButtonLink>}>
        <QueryBoundary query={apps}>
          {({ data }) => (data.length === 0 ? <GettingStarted /> : <AppRows apps={data.slice(0, MAX_APPS_SHOWN)} />)}
        </QueryBoundary>
      </Section>
    </Screen>
  );
}

interface StatsProps {
  account: Account | undefined;
  apps: string | undefined;
  unpaid: UnpaidInvoices | undefined;
}

/** Three key figures. Placeholders keep the layout stable while they load. */
const Stats = ({ account, apps, unpaid }: StatsProps) => (
  <SimpleGrid cols={{ base: 1, xs: 3 }} aria-busy={account === undefined || unpaid === undefined}>
    <Stack className="card" p="md" gap={4}>
      <Stat name="Wallet" value={account ? formatRand(account.walletBalance) : PLACEHOLDER} />
      <TextLink href="/billing">Top up</TextLink>
    </Stack>
    <Stack className="card" p="md" gap={4}>
      <Stat
        name="Applications"
        value={account && apps !== undefined ? `${apps} of ${account.plan.appLimit}` : PLACEHOLDER}
      />
      <TextLink href="/billing/plans">{account ? `Plan: ${account.plan.name}` : 'Plan'}</TextLink>
    </Stack>
    <Stack className="card" p="md" gap={4}>
      <Stat name="Amount due" value={unpaid ? formatTotal(unpaid) : PLACEHOLDER} />
      <TextLink href="/billing/invoices">{unpaid ? formatCount(unpaid) : 'Invoices'}</TextLink>
    </Stack>
  </SimpleGrid>
);

const PLACEHOLDER = '–';

const formatTotal = ({ data, has_more }: UnpaidInvoices): string =>
  `${formatRand(data.reduce((so, { amount }) => so + Number(amount), 0))}${has_more ? ' and more' : ''}`;

function formatCount({ data: { length } }: UnpaidInvoices): string {
  if (length === 0) return 'No unpaid invoices';
  return `${length} unpaid ${length === 1 ? 'invoice' : 'invoices'}`;
}

const GettingStarted = () => (
  <EmptyState title="Welcome" action={<ButtonLink href="/apps/new">Deploy your first application</ButtonLink>}>
    Connect a Git repository to build and serve it.
  </EmptyState>
);
