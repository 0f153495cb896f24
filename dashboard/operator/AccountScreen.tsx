import { Group } from '@mantine/core';
import { useDeferredValue } from 'react';
import { LimitTable } from '../ui/LimitTable.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate, TimeAgo } from '../ui/TimeAgo.tsx';
import { AccountAccess } from './AccountAccess.tsx';
import { CancelDeployment } from './AccountActs.tsx';
import { ListSection, NameWithId } from './AccountLists.tsx';
import { AccountMoney } from './AccountMoney.tsx';
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
        // A deleted account keeps only the records that tax law requires, and stays suspended.
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

function AccountDetails({ page }: { page: AccountPage }) {
  const { account, suspension, deletedAt, wallet, credits, limitOverrides } = page;
  const { id: accountId, plan, deletion } = account;
  // Content below the first view is rendered later, in time slices: rendering everything together would block a phone.
  const isRestShown = useDeferredValue(true, false);
  return (
    <>
      {deletedAt && (
        <div className="notice">
          Deleted on {formatDate(deletedAt)}. Ledgers and invoices are retained as required by law.
        </div>
      )}
      {deletion && (
        <div className="notice">Scheduled for deletion on {formatDate(deletion.endsAt)} at its owner’s request.</div>
      )}
      {suspension && !deletedAt && <div className="notice break">Suspended: {suspension.reason}</div>}
      <Group gap="xl">
        <Stat name="Name" value={account.name} />
        <Stat name="Plan" value={plan.name} />
        <Stat name="Wallet" value={formatRand(wallet.balance)} />
        {wallet.frozen && <Stat name="Frozen: a card payment is disputed" value={formatRand(wallet.frozen)} />}
        <Stat name="AI credits" value={formatRand(credits.balance)} />
      </Group>
      <Group gap="xs">
        <AdjustMoney accountId={accountId} />
        <ChangeLimit accountId={accountId} overrides={limitOverrides} />
      </Group>
      <Activity page={page} />
      {isRestShown && (
        <>
          <AccountAccess page={page} />
          <AccountMoney page={page} />
          <Section title="Limits">
            <LimitTable limits={account.limits} usage={account.usage} overrides={limitOverrides} />
          </Section>
          <OperatorLog title="Changes of this account" accountId={accountId} />
        </>
      )}
    </>
  );
}

/** Returns the cell of an application, and the other cell during a move. */
function showCell({ cell, movingTo, drainingFrom }: AccountPage['applications'][number]): string {
  if (movingTo) return `${cell}, moving to ${movingTo}`;
  return drainingFrom ? `${cell}, leaving ${drainingFrom}` : cell;
}

function Activity({ page: { account, applications, deployments, domains, errors } }: { page: AccountPage }) {
  const { id: accountId } = account;
  return (
    <>
      <ListSection
        title="Applications"
        items={applications}
        idOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name, id }) => <NameWithId {...{ name, id }} /> },
          { name: 'Address', show: ({ primaryDomain }) => primaryDomain },
          { name: 'Cell', show: showCell },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          {
            name: 'Actions',
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
      <ListSection
        title="Deployments"
        items={deployments}
        idOf={({ id }) => id}
        columns={[
          { name: 'Started', show: ({ startedAt }) => <TimeAgo at={startedAt} /> },
          {
            name: 'Application',
            show: ({ id, applicationId }) => (
              <NameWithId name={applications.find((app) => app.id === applicationId)?.name ?? applicationId} id={id} />
            ),
          },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          { name: 'Progress', show: ({ progress }) => <span className="break">{progress}</span> },
          {
            name: 'Actions',
            show: ({ id, finishedAt }) => finishedAt === null && <CancelDeployment {...{ accountId, id }} />,
          },
        ]}
      />
      <ListSection
        title="Domains"
        items={domains}
        idOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name, id }) => <NameWithId {...{ name, id }} /> },
          { name: 'Status', show: ({ status }) => <Status value={status} /> },
          { name: 'Expires', show: ({ expiresAt }) => expiresAt && <TimeAgo at={expiresAt} /> },
        ]}
      />
      <ListSection
        title="Recent errors"
        items={errors}
        idOf={({ requestId }) => requestId}
        columns={[
          { name: 'When', show: ({ at }) => <TimeAgo at={at} /> },
          { name: 'Request', show: ({ operation, requestId }) => <NameWithId name={operation} id={requestId} /> },
          { name: 'Response', show: ({ status, code, message }) => `${status} ${code}: ${message}` },
          {
            name: 'By',
            show: ({ by, address }) => by && <NameWithId name={address ? `from ${address}` : ''} id={by} />,
          },
        ]}
      />
    </>
  );
}
