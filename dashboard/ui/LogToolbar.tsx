import { Button, Group, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { saveFile } from './save-file.ts';

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

/** Actions on a log: search, copy, download. */
export function LogToolbar({ searchTerm, search, matches, text, fileName, children }: LogToolbarProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  return (
    <Group gap="xs" mb="xs" className="filters">
      <TextInput
        type="search"
        size="xs"
        placeholder="Search the log"
        aria-label="Search the log"
        value={searchTerm}
        onChange={(event) => search(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed" role="status">
        {matches !== undefined && `${matches} ${matches === 1 ? 'line' : 'lines'}`}
      </Text>
      {children}
      <Button size="xs" variant="default" onClick={() => clipboard.copy(text())}>
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => saveFile(new Blob([text()], { type: 'text/plain' }), fileName)}
      >
        Download
      </Button>
    </Group>
  );
}
