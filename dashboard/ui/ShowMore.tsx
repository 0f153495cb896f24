import { Button, Center } from '@mantine/core';
import { FailureNote } from './FailureAlert.tsx';

interface ShowMoreProps {
  /** A list that is read a page at a time. */
  of: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** Reads on where a list has not been read to its end; nothing where it has. */
export function ShowMore({
  of: { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage },
}: ShowMoreProps) {
  if (!hasNextPage) return null;
  const more = () => void fetchNextPage();
  if (isFetchNextPageError && !isFetchingNextPage) return <FailureNote error={error} retry={more} />;
  return (
    <Center className="no-print">
      <Button variant="default" loading={isFetchingNextPage} onClick={more}>
        Show more
      </Button>
    </Center>
  );
}
