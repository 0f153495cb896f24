import { SimpleGrid, Stack, Text } from '@mantine/core';
import { isFirstAttempt } from '../api/query-client.ts';
import { type Account, useMe } from '../api/use-me.ts';
import { AppRows } from '../apps/AppRows.tsx';
import { useApps } from '../apps/api.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary, Skeletons } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { ButtonLink, TextLink } from '../ui/TextLink.tsx';
import { AttentionList } from './AttentionList.tsx';
import { type OverviewData, useOverview } from './api.ts';
import { listAttentionItems } from './attention-items.ts';
import { FirstSteps } from './FirstSteps.tsx';
import { HealthStrip } from './HealthStrip.tsx';
import { healthOf } from './health.ts';
import { RecentChanges } from './RecentChanges.tsx';

const MAX_APPS_SHOWN = 5;

/** The state of the account at a glance: tasks for its owner, applications and recent changes. */
export default function Overview() {
  const me = useMe();
  const apps = useApps();
  const overview = useOverview();
  const data = overview.data?.data;
  // The blocks appear together: one that appears later would push down the text that the user is reading.
  const isLoading = [me, apps, overview].some(isFirstAttempt);
  const health = data && apps.data && <HealthStrip items={healthOf(apps.data.data, data)} />;
  // A new account begins with its first steps.
  const isNew = apps.data?.data.length === 0 && data?.webhooks.endpoints === 0;
  return (
    <Screen title="Overview">
      {me.errorUpdateCount > 0 && <QueryBoundary query={me}>{() => null}</QueryBoundary>}
      <Stats
        account={me.data?.data.account}
        apps={apps.data && `${apps.data.data.length}${apps.data.has_more ? '+' : ''}`}
        overview={data}
      />
      {isLoading ? (
        <Skeletons lines={8} />
      ) : (
        <>
          {!isNew && health}
          <AttentionList items={listAttentionItems(me.data?.data.account, apps.data?.data ?? [], data)} />
          <FirstSteps />
          {isNew && health}
          <Section title="Applications" actions={<ButtonLink href="/apps/new">New application</ButtonLink>}>
            <QueryBoundary query={apps}>
              {({ data }) =>
                data.length === 0 ? <GettingStarted /> : <AppRows apps={data.slice(0, MAX_APPS_SHOWN)} />
              }
            </QueryBoundary>
          </Section>
          <QueryBoundary query={overview}>
            {({ data: { changes } }) => <RecentChanges changes={changes} />}
          </QueryBoundary>
        </>
      )}
    </Screen>
  );
}

interface StatsProps {
  account: Account | undefined;
  apps: string | undefined;
  overview: OverviewData | undefined;
}

/** Four key figures. Placeholders keep the layout stable while they load. */
const Stats = ({ account, apps, overview }: StatsProps) => (
  <SimpleGrid cols={{ base: 2, sm: 4 }} aria-busy={account === undefined || overview === undefined}>
    <Stack className="card key-figure" p="md" gap={4}>
      <Stat name="Wallet" value={account ? formatRand(account.walletBalance) : PLACEHOLDER} />
      <Lasts lasts={overview?.wallet.lasts} />
      <TextLink href="/billing">Top up</TextLink>
    </Stack>
    <Stack className="card key-figure" p="md" gap={4}>
      <Stat name="Amount due" value={overview ? formatRand(overview.unpaidInvoices.total) : PLACEHOLDER} />
      <Note>{overview && formatCount(overview.unpaidInvoices.count)}</Note>
      <TextLink href="/billing/invoices">Invoices</TextLink>
    </Stack>
    <Stack className="card key-figure" p="md" gap={4}>
      <Stat name="AI credits" value={overview ? formatRand(overview.aiCredits.available) : PLACEHOLDER} />
      <Lasts lasts={overview?.aiCredits.lasts} />
      <TextLink href="/ai">Buy credits</TextLink>
    </Stack>
    <Stack className="card key-figure" p="md" gap={4}>
      <Stat
        name="Applications"
        value={account && apps !== undefined ? `${apps} of ${account.plan.appLimit}` : PLACEHOLDER}
      />
      <Note>{account && `Plan: ${account.plan.name}`}</Note>
      <TextLink href="/billing/plans">Plans</TextLink>
    </Stack>
  </SimpleGrid>
);

const PLACEHOLDER = '–';

/** A line below a figure, with the same height while it loads. */
const Note = ({ children }: { children: string | undefined }) => (
  <Text size="xs" c="dimmed">
    {children ?? PLACEHOLDER}
  </Text>
);

/** The time that a balance lasts at the current rate of spending. */
function Lasts({ lasts }: { lasts: OverviewData['wallet']['lasts'] | undefined }) {
  if (lasts === undefined) return <Note>{undefined}</Note>;
  if (lasts === null) return <Note>No recent spending</Note>;
  const { perDay, days } = lasts;
  const duration = days > 365 ? 'more than a year' : `about ${days} ${days === 1 ? 'day' : 'days'}`;
  return <Note>{`Lasts ${duration} at ${formatRand(perDay)} a day`}</Note>;
}

const formatCount = (count: number): string =>
  count === 0 ? 'No unpaid invoices' : `${count} unpaid ${count === 1 ? 'invoice' : 'invoices'}`;

const GettingStarted = () => (
  <EmptyState title="Welcome" action={<ButtonLink href="/apps/new">Deploy your first application</ButtonLink>}>
    Connect a Git repository to build and deploy it.
  </EmptyState>
);
