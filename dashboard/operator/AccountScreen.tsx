import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate, TimeAgo } from '../ui/TimeAgo.tsx';
import { CancelDeployment, ResendDelivery } from './AccountActs.tsx';
import { AdjustMoney, ChangeLimit } from './Adjust.tsx';
import { type AccountPage, useAccount } from './api.ts';
import { MoveApp } from './MoveApp.tsx';
import { OperatorLog } from './OperatorLog.tsx';
import { Suspend } from './Suspend.tsx';

/** Everything about one account. */
export function AccountScreen({ id }: { id: string }) {
  const query = useAccount(id);
  const page = query.data?.data;
  return (
    <Screen
      title={page?.account.email ?? 'Account'}
      id={id}
      crumbs={[{ href: '/operator', name: 'Operators' }]}
      beside={page && !page.deletedAt && <Status value={page.suspension ? 'SUSPENDED' : 'ACTIVE'} />}
      actions={
        // What is left of a deleted account is for the tax office, and stays suspended.
        page &&
        !page.deletedAt && (
          <Suspend {...{ accountId: id, name: page.account.email, suspended: page.suspension !== null }} />
        )
      }
    >
      <QueryBoundary query={query} lines={8}>
        {({ data }) => <AccountDetails page={data} />}
      </QueryBoundary>
    </Screen>
  );
}

interface ListProps<T> {
  title: string;
  items: readonly T[];
  idOf: (item: T) => string;
  columns: readonly Column<T>[];
  actions?: ReactNode;
}

/** A section with the newest items of a list. */
const List = <T,>({ title, items, idOf, columns, actions }: ListProps<T>) => (
  <Section title={title} actions={actions}>
    {items.length === 0 ? (
      <Text size="sm" c="dimmed">
        None
      </Text>
    ) : (
      <DataTable name={title} {...{ items, idOf, columns }} />
    )}
  </Section>
);

function AccountDetails({ page }: { page: AccountPage }) {
  const { account, suspension, deletedAt, wallet, credits, limitOverrides } = page;
  const { id: accountId, plan, deletion } = account;
  return (
    <>
      {deletedAt && (
        <div className="notice">Deleted on {formatDate(deletedAt)}. Ledgers and invoices are kept as the law asks.</div>
      )}
      {deletion && (
        <div className="notice">Will be deleted on {formatDate(deletion.endsAt)}, as its owner requested.</div>
      )}
      {suspension && !deletedAt && <div className="notice break">Suspended: {suspension.reason}</div>}
      <Group gap="xl">
        <Stat name="Name" value={account.name} />
        <Stat name="Plan" value={plan.name} />
        <Stat name="Wallet" value={formatRand(wallet.balance)} />
        <Stat name="AI credits" value={formatRand(credits.balance)} />
      </Group>
      <Group gap="xs">
        <AdjustMoney accountId={accountId} />
        <ChangeLimit accountId={accountId} overrides={limitOverrides} />
      </Group>
      <Work page={page} />
      <Access page={page} />
      <Money page={page} />
      <OperatorLog title="Changes of this account" accountId={accountId} />
    </>
  );
}

/** Returns the cell of an application, with the other one while it is moved. */
function showCell({ cell, movingTo, drainingFrom }: AccountPage['applications'][number]): string {
  if (movingTo) return `${cell}, moving to ${movingTo}`;
  return drainingFrom ? `${cell}, leaving ${drainingFrom}` : cell;
}

function Work({ page: { account, applications, deployments, domains, errors } }: { page: AccountPage }) {
  const { id: accountId } = account;
  return (
    <>
      <List
        title="Applications"
        items={applications}
        idOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'Address', show: ({ primaryDomain }) => primaryDomain },
          { name: 'Cell', show: showCell },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          {
            name: 'Act',
            show: ({ id, name, cell, movingTo, drainingFrom, suspensions = [] }) => {
              const suspended = suspensions.some(({ cause }) => cause === 'OPERATOR');
              return (
                <Group gap="xs">
                  <Suspend {...{ accountId, name, suspended }} target={{ applicationId: id }} />
                  {!movingTo && !drainingFrom && <MoveApp {...{ accountId, id, name, cell }} />}
                </Group>
              );
            },
          },
        ]}
      />
      <List
        title="Deployments"
        items={deployments}
        idOf={({ id }) => id}
        columns={[
          { name: 'Started', show: ({ startedAt }) => <TimeAgo at={startedAt} /> },
          { name: 'Id', show: ({ id }) => id },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          {
            name: 'Act',
            show: ({ id, finishedAt }) => finishedAt === null && <CancelDeployment {...{ accountId, id }} />,
          },
        ]}
      />
      <List
        title="Domains"
        items={domains}
        idOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          { name: 'Expires', show: ({ expiresAt }) => expiresAt && <TimeAgo at={expiresAt} /> },
        ]}
      />
      <List
        title="Recent errors"
        items={errors}
        idOf={({ requestId }) => requestId}
        columns={[
          { name: 'When', show: ({ at }) => <TimeAgo at={at} /> },
          { name: 'Request', show: ({ operation, requestId }) => `${operation} ${requestId}` },
          { name: 'Answer', show: ({ status, code, message }) => `${status} ${code}: ${message}` },
        ]}
      />
    </>
  );
}

function Access({ page: { account, keys, endpoints, deliveries } }: { page: AccountPage }) {
  const { id: accountId } = account;
  return (
    <>
      <List
        title="API keys"
        items={keys}
        idOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name, lastFour }) => `${name} …${lastFour ?? ''}` },
          { name: 'Scopes', show: ({ scopes }) => scopes.join(', ') },
          {
            name: 'Status',
            show: ({ revokedAt, suspension }) => <Status value={statusOfKey(revokedAt, suspension)} />,
          },
          {
            name: 'Act',
            show: ({ id, name, suspension }) => (
              <Suspend {...{ accountId, name, suspended: suspension !== null }} target={{ keyId: id }} />
            ),
          },
        ]}
      />
      <List
        title="Webhook endpoints"
        items={endpoints}
        idOf={({ id }) => id}
        columns={[
          { name: 'URL', show: ({ url }) => url },
          { name: 'Failures', show: ({ failureCount }) => failureCount, number: true },
          {
            name: 'Status',
            show: ({ active, suspension }) => (
              <Status value={suspension ? 'SUSPENDED' : active ? 'ACTIVE' : 'DISABLED'} />
            ),
          },
          {
            name: 'Act',
            show: ({ id, url, suspension }) => (
              <Suspend {...{ accountId, name: url, suspended: suspension !== null }} target={{ endpointId: id }} />
            ),
          },
        ]}
      />
      <List
        title="Deliveries"
        items={deliveries}
        idOf={({ id }) => id}
        columns={[
          { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
          { name: 'Event', show: ({ type }) => type },
          { name: 'Attempts', show: ({ attempts, lastOutcome }) => `${attempts} ${lastOutcome ?? ''}` },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          { name: 'Act', show: ({ id }) => <ResendDelivery {...{ accountId, id }} /> },
        ]}
      />
    </>
  );
}

const statusOfKey = (revokedAt: string | null, suspension: object | null) =>
  revokedAt ? 'REVOKED' : suspension ? 'SUSPENDED' : 'ACTIVE';

const Money = ({ page: { wallet, invoices, subscriptions } }: { page: AccountPage }) => (
  <>
    <List
      title="Wallet"
      items={wallet.transactions}
      idOf={({ createdAt, balanceAfter }) => `${createdAt} ${balanceAfter}`}
      columns={[
        { name: 'When', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
        { name: 'What', show: ({ description }) => description },
        { name: 'Amount', show: ({ amount }) => formatRand(amount), number: true },
        { name: 'Balance', show: ({ balanceAfter }) => formatRand(balanceAfter), number: true },
      ]}
    />
    <List
      title="Invoices"
      items={invoices}
      idOf={({ id }) => id}
      columns={[
        { name: 'Number', show: ({ number }) => number },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Amount', show: ({ amount }) => formatRand(amount), number: true },
      ]}
    />
    <List
      title="Subscriptions"
      items={subscriptions}
      idOf={({ id }) => id}
      columns={[
        { name: 'Plan', show: ({ plan }) => plan.name },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Period ends', show: ({ currentPeriodEnd }) => <TimeAgo at={currentPeriodEnd} /> },
      ]}
    />
  </>
);
