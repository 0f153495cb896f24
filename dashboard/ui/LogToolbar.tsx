import { Button, Group, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface LogToolbarProps {
  /** Current search text. */
  searchTerm: string;
  search: (searchTerm: string) => void;
  /** Number of matching lines; undefined without a search. */
  matches: number | undefined;
  /** Returns the whole log as plain text. */
  text: () => string;
  /** File name of the download. */
  fileName: string;
  children?: ReactNode;
}

/** Downloads a text as a file. */
function download(text: string, fileName: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** Actions on a log: search, copy, download. */
export function LogToolbar({ searchTerm, search, matches, text, fileName, children }: LogToolbarProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Group gap="xs" mb="xs">
      <TextInput
        type="search"
        size="xs"
        placeholder="Search the log"
        aria-label="Search the log"
        value={searchTerm}
        onChange={(event) => search(event.currentTarget.value)}
        style={{ flex: '1 1 12rem' }}
      />
      <Text size="sm" c="dimmed" role="status">
        {matches !== undefined && `${matches} ${matches === 1 ? 'line' : 'lines'}`}
      </Text>
      {children}
      <Button size="xs" variant="default" onClick={() => clipboard.copy(text())}>
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <Button size="xs" variant="default" onClick={() => download(text(), fileName)}>
        Download
      </Button>
    </Group>
  );
}
