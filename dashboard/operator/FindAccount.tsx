import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { CopyId } from '../ui/CopyId.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type FoundAccount, useSearch } from './api.ts';
import { Suspend } from './Suspend.tsx';

/** Search for accounts by anything that a customer or an alarm may name. */
export function FindAccount() {
  const [query, setQuery] = useState('');
  const search = useSearch();
  /** Suspension changes since the search, by account. The search is not repeated after one. */
  const [changes, setChanges] = useState<Record<string, boolean>>({});
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChanges({});
    search.mutate({ body: { query: query.trim() } });
  };
  const found = search.data?.data;
  const isSuspended = ({ id, suspended }: FoundAccount['account']) => changes[id] ?? suspended;
  return (
    <Section
      title="Find an account"
      description="Search by email, ID, API key (or its first 16 characters), host name or request ID. Searches are logged."
    >
      <search>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end">
            <TextInput
              label="Search for"
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              style={{ flex: '1 1 18rem' }}
            />
            <Button type="submit" loading={search.isPending} disabled={query.trim().length < 3}>
              Find
            </Button>
          </Group>
        </form>
      </search>
      <div aria-live="polite">
        {search.error && <FailureAlert error={search.error} />}
        {found?.length === 0 && <EmptyState title="No account found">Check the spelling of your search.</EmptyState>}
        {found !== undefined && found.length > 0 && (
          <DataTable
            name="Accounts found"
            items={found}
            idOf={({ kind, id }) => `${kind} ${id}`}
            columns={[
              {
                name: 'Account',
                show: ({ account }) => <TextLink href={`/operator/accounts/${account.id}`}>{account.email}</TextLink>,
              },
              { name: 'Name', show: ({ account }) => account.name },
              { name: 'Found as', show: ({ kind, id }) => `${kind} ${id}` },
              { name: 'By', show: ({ by }) => by && <CopyId id={by} /> },
              {
                name: 'Status',
                show: ({ account }) =>
                  account.deletedAt ? (
                    `Deleted on ${formatDate(account.deletedAt)}`
                  ) : (
                    <Status value={isSuspended(account) ? 'SUSPENDED' : 'ACTIVE'} />
                  ),
              },
              {
                name: 'Actions',
                show: ({ account }) =>
                  !account.deletedAt && (
                    <Suspend
                      accountId={account.id}
                      name={account.email}
                      suspended={isSuspended(account)}
                      onDone={(suspended) => setChanges((all) => ({ ...all, [account.id]: suspended }))}
                    />
                  ),
              },
            ]}
          />
        )}
      </div>
    </Section>
  );
}
