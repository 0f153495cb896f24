import { Button, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { describeUnread, type Pair, parseDotenv } from '../../contract/apps/dotenv.ts';
import { Dialog } from '../ui/Dialog.tsx';

/** Imports the variables of a `.env` file into the form. */
export function PasteVariables({ add }: { add: (pairs: readonly Pair[]) => void }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const importPairs = (pairs: readonly Pair[]) => {
    add(pairs);
    close();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Paste a .env file
      </Button>
      <Dialog opened={open} onClose={close} title="Paste a .env file">
        <PasteForm onImport={importPairs} />
      </Dialog>
    </>
  );
}

function PasteForm({ onImport }: { onImport: (pairs: readonly Pair[]) => void }) {
  const [text, setText] = useState('');
  const pairs = parseDotenv(text);
  const unread = describeUnread(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The dialog is a portal: in React's tree it is still inside of the variables form.
    event.stopPropagation();
    onImport(pairs);
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <Textarea
        label=".env contents"
        placeholder={'DATABASE_URL=postgres://…\nAPI_KEY="…"'}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autosize
        minRows={6}
        maxRows={16}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data-autofocus
      />
      <div role="status">
        <Text size="sm" c="dimmed">
          {text.trim() === '' ? 'One NAME=value per line. Comments are ignored.' : describePairs(pairs)}
        </Text>
        {unread && (
          <Text size="sm" c="var(--bad)">
            {unread}
          </Text>
        )}
      </div>
      <Button type="submit" disabled={pairs.length === 0} style={{ alignSelf: 'flex-start' }}>
        Import
      </Button>
    </Stack>
  );
}

function describePairs(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return 'No variables found.';
  return `${pairs.length} ${pairs.length === 1 ? 'variable' : 'variables'}: ${pairs.map(({ key }) => key).join(', ')}`;
}
