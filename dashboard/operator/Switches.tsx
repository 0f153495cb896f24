import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { switchRule } from '../../contract/switches/switches.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type PlatformSwitch, useSetSwitch, useSwitches } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';
import { stateOf } from './switch-state.ts';

/** The parts of the platform that operators can turn off. */
export function Switches() {
  return (
    <Section
      title="Switches"
      description="While a part is off, customers see your message instead. Changes apply within 15 seconds."
    >
      <QueryBoundary query={useSwitches()}>
        {({ data }) => (
          <DataTable
            name="Switches"
            items={data}
            idOf={({ name, target }) => `${name} ${target}`}
            columns={[
              { name: 'Part', show: nameOf },
              { name: 'State', show: (item) => <State item={item} /> },
              { name: 'Effect', long: true, show: ({ stops }) => stops },
              { name: 'Change', show: (item) => <ToggleButton item={item} /> },
            ]}
          />
        )}
      </QueryBoundary>
    </Section>
  );
}

/** Returns the name of a switch, with its target. */
const nameOf = ({ label, target }: PlatformSwitch) => (target ? `${label} ${target}` : label);

const State = ({ item: { name, off, message, since } }: { item: PlatformSwitch }) =>
  off ? (
    <>
      <span className="status status-warn">{stateOf(name, off)}</span> {since && <TimeAgo at={since} />}
      <Text size="xs" className="break">
        {message}
      </Text>
    </>
  ) : (
    <span className="status status-good">{stateOf(name, off)}</span>
  );

function ToggleButton({ item }: { item: PlatformSwitch }) {
  const { name, target, off } = item;
  const [message, setMessage] = useState('');
  const kind = switchRule(name).target;
  const [chosen, setChosen] = useState<string>(kind === 'provider' ? AI_PROVIDER_IDS[0] : '');
  const set = useSetSwitch();
  const label = `Turn ${stateOf(name, !off).toLowerCase()}`;
  const confirm = (reason: string) => {
    const named = target ?? (kind === undefined ? undefined : chosen.trim());
    const body = {
      reason,
      off: !off,
      ...(named ? { target: named } : {}),
      ...(off ? {} : { message: message.trim() }),
    };
    return set.mutateAsync({ params: { name }, body });
  };
  return (
    <ReasonButton
      label={label}
      question={`${label} ${nameOf(item)}?`}
      onConfirm={confirm}
      aria-label={`${label} ${nameOf(item)}`}
    >
      {!off && kind === 'provider' && (
        <NativeSelect
          label="Which provider"
          data={[...AI_PROVIDER_IDS]}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      {!off && kind !== undefined && kind !== 'provider' && (
        <TextInput
          label={`Which ${kind}`}
          placeholder={kind === 'region' ? 'eu-west-1' : `${AI_PROVIDER_IDS[0]}/…`}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      {!off && (
        <TextInput
          label="Message to customers"
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          maxLength={300}
          autoComplete="off"
        />
      )}
    </ReasonButton>
  );
}
