import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { switchRule } from '../../contract/switches/switches.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type PlatformSwitch, useSetSwitch, useSwitches } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

/** The parts of the platform that operators can turn off. */
export function Switches() {
  return (
    <Section
      title="Switches"
      description="A part that is off refuses customers with your message within 15 seconds, and works again as soon."
    >
      <QueryBoundary query={useSwitches()}>
        {({ data }) => (
          <DataTable
            name="Switches"
            items={data}
            idOf={({ name, target }) => `${name} ${target}`}
            columns={[
              { name: 'Part', show: ({ label, target }) => (target ? `${label} ${target}` : label) },
              { name: 'State', show: (item) => <State item={item} /> },
              { name: 'Effect', show: ({ stops }) => stops },
              { name: 'Change', show: (item) => <Turn item={item} /> },
            ]}
          />
        )}
      </QueryBoundary>
    </Section>
  );
}

const State = ({ item: { off, message, since } }: { item: PlatformSwitch }) =>
  off ? (
    <>
      <span className="status status-warn">Off</span> {since && <TimeAgo at={since} />}
      <Text size="xs" className="break">
        {message}
      </Text>
    </>
  ) : (
    <span className="status status-good">On</span>
  );

function Turn({ item: { name, label, target, off } }: { item: PlatformSwitch }) {
  const [message, setMessage] = useState('');
  const [chosen, setChosen] = useState('');
  const set = useSetSwitch();
  const kind = switchRule(name).target;
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
      label={off ? 'Turn on' : 'Turn off'}
      question={`${off ? 'Turn on' : 'Turn off'} ${label.toLowerCase()}?`}
      description="The reason is kept in the operators’ audit log."
      onConfirm={confirm}
      aria-label={`${off ? 'Turn on' : 'Turn off'} ${label}${target ? ` ${target}` : ''}`}
    >
      {!off && kind !== undefined && (
        <TextInput
          label={`Which ${kind}`}
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
