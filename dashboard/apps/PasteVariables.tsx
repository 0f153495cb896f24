import { Button, Modal, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Pair, readDotenv } from './dotenv.ts';

/** Many variables at once: the text of a `.env` file, read here and sent with the form as if it had been typed. */
export function PasteVariables({ add }: { add: (pairs: readonly Pair[]) => void }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  const take = (pairs: readonly Pair[]) => {
    add(pairs);
    close();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Paste a .env file
      </Button>
      <Modal opened={open} onClose={close} title="Paste a .env file" closeButtonProps={{ 'aria-label': 'Close' }}>
        <PasteForm take={take} />
      </Modal>
    </>
  );
}

function PasteForm({ take }: { take: (pairs: readonly Pair[]) => void }) {
  const [text, setText] = useState('');
  const pairs = readDotenv(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog is drawn elsewhere; for React it is still inside of the form with the variables.
    event.stopPropagation();
    take(pairs);
  };
  return (
    <Stack component="form" onSubmit={submit}>
      <Textarea
        label="Its text"
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
      <Text size="sm" c="dimmed" role="status">
        {text.trim() === '' ? 'Lines like NAME=value; comments are left out.' : wordsOf(pairs)}
      </Text>
      <Button type="submit" disabled={pairs.length === 0} style={{ alignSelf: 'flex-start' }}>
        Take over
      </Button>
    </Stack>
  );
}

function wordsOf(pairs: readonly Pair[]): string {
  if (pairs.length === 0) return 'No variables are in this.';
  return `${pairs.length} ${pairs.length === 1 ? 'variable' : 'variables'}: ${pairs.map(({ key }) => key).join(', ')}`;
}
