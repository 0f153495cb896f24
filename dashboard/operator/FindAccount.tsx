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
import { useSearch } from './api.ts';
import { Suspend } from './Suspend.tsx';

/** The latest search: it survives navigation, but not a reload. It is not in the address, because it may contain an API key. */
let latest = '';

/** Search for accounts by anything that a customer or an alarm may name. */
export function FindAccount() {
  const [text, setText] = useState(latest);
  const [query, setQuery] = useState(latest);
  const search = useSearch(query);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    latest = text.trim();
    if (latest === query) void search.refetch();
    else setQuery(latest);
  };
  const found = search.data?.data;
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
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              style={{ flex: '1 1 18rem' }}
            />
            <Button type="submit" loading={search.isFetching} disabled={text.trim().length < 3}>
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
                    <Status value={account.suspended ? 'SUSPENDED' : 'ACTIVE'} />
                  ),
              },
              {
                name: 'Actions',
                show: ({ account }) =>
                  !account.deletedAt && (
                    <Suspend accountId={account.id} name={account.email} suspended={account.suspended} />
                  ),
              },
            ]}
          />
        )}
      </div>
    </Section>
  );
}
