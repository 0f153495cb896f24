import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { toast } from '../ui/toast.ts';
import { useCells, useMoveApp } from './api.ts';
import { ReasonButton } from './ReasonButton.tsx';

interface MoveAppProps {
  accountId: string;
  id: string;
  name: string;
  /** The application's current cell. */
  cell: string;
}

const describeRoom = (room: number | null) => (room === null ? 'not measured yet' : `room for ${room}`);

/** Moves an application to another cell. Shows nothing if there is only one cell. */
export function MoveApp({ accountId, id, name, cell: current }: MoveAppProps) {
  const { data } = useCells();
  const move = useMoveApp();
  const [chosen, setChosen] = useState<string>();
  const others = (data?.data ?? []).filter((other) => other.id !== current);
  const cell = chosen ?? others[0]?.id;
  if (cell === undefined) return null;
  const confirm = async (reason: string) => {
    await move.mutateAsync({ params: { id: accountId, applicationId: id }, body: { reason, cell } });
    toast('The application is being moved.');
  };
  return (
    <ReasonButton
      label="Move"
      question={`Move ${name} to another cell?`}
      description="Recorded in the audit log. No requests are lost. Its runtime log so far is lost."
      onConfirm={confirm}
    >
      <NativeSelect
        label="Cell"
        data={others.map(({ id: value, room, open }) => ({
          value,
          label: `${value}: ${describeRoom(room)}${open ? '' : ', closed to new applications'}`,
        }))}
        value={cell}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
    </ReasonButton>
  );
}
