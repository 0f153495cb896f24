import { Button, Group, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface LogToolsProps {
  /** What is searched for. */
  wanted: string;
  search: (wanted: string) => void;
  /** How many lines have it; undefined while nothing is searched for. */
  found: number | undefined;
  /** The whole log, as plain text. */
  text: () => string;
  /** What the file is called when it is saved. */
  fileName: string;
  children?: ReactNode;
}

/** Saves a text as a file. */
function save(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** What can be done with a log: search it, take it away. */
export function LogTools({ wanted, search, found, text, fileName, children }: LogToolsProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Group gap="xs" mb="xs">
      <TextInput
        type="search"
        size="xs"
        placeholder="Search the log"
        aria-label="Search the log"
        value={wanted}
        onChange={(event) => search(event.currentTarget.value)}
        style={{ flex: '1 1 12rem' }}
      />
      <Text size="sm" c="dimmed" role="status">
        {found !== undefined && `${found} ${found === 1 ? 'line' : 'lines'}`}
      </Text>
      {children}
      <Button size="xs" variant="default" onClick={() => clipboard.copy(text())}>
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <Button size="xs" variant="default" onClick={() => save(text(), fileName)}>
        Download
      </Button>
    </Group>
  );
}
