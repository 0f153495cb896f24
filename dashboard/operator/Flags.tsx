import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from '../ui/DataTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { type FeatureFlag, useFlags, useSetFlag } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

/** The feature flags, each with an owner and an end date. */
export function Flags() {
  return (
    <Section
      title="Feature flags"
      description="Turn features on for all accounts, a percentage, or one account. Changes apply within 15 seconds."
    >
      <QueryBoundary query={useFlags()}>
        {({ data }) => (
          <DataTable
            name="Feature flags"
            items={data}
            idOf={({ name }) => name}
            columns={[
              { name: 'Flag', show: ({ label, name }) => `${label} (${name})` },
              { name: 'State', show: (item) => <State item={item} /> },
              { name: 'Effect', long: true, show: ({ does }) => does },
              { name: 'Owner', show: ({ owner }) => owner },
              { name: 'Ends', number: true, show: (item) => <Ends item={item} /> },
              { name: 'Change', show: (item) => <Change item={item} /> },
            ]}
          />
        )}
      </QueryBoundary>
    </Section>
  );
}

const nameOf = (share: number): string => (share === 100 ? 'On' : share === 0 ? 'Off' : `On for ${share}%`);

const State = ({ item: { share, default: isDefault, accounts } }: { item: FeatureFlag }) => (
  <>
    {share === null ? `${isDefault ? 'On' : 'Off'} (default)` : nameOf(share)}
    {accounts.map(({ accountId, on }) => (
      <Text key={accountId} size="xs" className="break">
        {accountId}: {on ? 'on' : 'off'}
      </Text>
    ))}
  </>
);

const Ends = ({ item: { ends, expired } }: { item: FeatureFlag }) =>
  expired ? <span className="status status-warn">Expired {ends}</span> : ends;

const OVERRIDES: Record<string, boolean | null> = { On: true, Off: false, 'No override': null };

function Change({ item: { name, label, share, owner, ends } }: { item: FeatureFlag }) {
  const [account, setAccount] = useState('');
  const [percent, setPercent] = useState(share === null ? '' : String(share));
  const [choice, setChoice] = useState('On');
  const [edited, setEdited] = useState({ owner, ends });
  const set = useSetFlag();
  const accountId = account.trim();
  const confirm = (reason: string) => {
    const change = accountId
      ? { accountId, on: OVERRIDES[choice] ?? null }
      : { share: percent === '' ? null : Number(percent) };
    const metadata = {
      ...(edited.owner === owner ? {} : { owner: edited.owner.trim() }),
      ...(edited.ends === ends ? {} : { ends: edited.ends }),
    };
    return set.mutateAsync({ params: { name }, body: { reason, ...change, ...metadata } });
  };
  return (
    <ReasonButton label="Change" question={`Change “${label}”?`} onConfirm={confirm} aria-label={`Change ${label}`}>
      <TextInput
        label="Account"
        description="Empty: all accounts"
        value={account}
        onChange={(event) => setAccount(event.currentTarget.value)}
        autoComplete="off"
      />
      {accountId ? (
        <NativeSelect
          label="For this account"
          data={Object.keys(OVERRIDES)}
          value={choice}
          onChange={({ currentTarget }) => setChoice(currentTarget.value)}
        />
      ) : (
        <TextInput
          label="Percent of accounts"
          description="100 is on and 0 is off for all accounts. Leave empty for the default."
          type="number"
          value={percent}
          onChange={({ currentTarget }) => setPercent(currentTarget.value)}
          min={0}
          max={100}
          autoComplete="off"
        />
      )}
      <TextInput
        label="Owner"
        description="The area whose team removes the flag"
        value={edited.owner}
        onChange={({ currentTarget }) => setEdited((before) => ({ ...before, owner: currentTarget.value }))}
        autoComplete="off"
      />
      <TextInput
        label="Ends"
        description="From this day, operators get a ticket"
        type="date"
        value={edited.ends}
        onChange={({ currentTarget }) => setEdited((before) => ({ ...before, ends: currentTarget.value }))}
      />
    </ReasonButton>
  );
}
