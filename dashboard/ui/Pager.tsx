import { Button, Group } from '@mantine/core';

interface PagerProps {
  offset: number;
  size: number;
  hasMore: boolean;
  go: (offset: number) => void;
}

/** Buttons for the newer and the older page of a list; nothing if there is only one page. */
export const Pager = ({ offset, size, hasMore, go }: PagerProps) =>
  offset > 0 || hasMore ? (
    <Group justify="space-between">
      <Button variant="default" disabled={offset === 0} onClick={() => go(Math.max(0, offset - size))}>
        Newer
      </Button>
      <Button variant="default" disabled={!hasMore} onClick={() => go(offset + size)}>
        Older
      </Button>
    </Group>
  ) : null;
