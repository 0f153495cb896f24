import { Button, Center } from '@mantine/core';
import { FailureAlert } from './FailureAlert.tsx';

interface ShowMoreProps {
  /** A paged list. */
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** A button that loads the next page; nothing at the end of the list. */
export function ShowMore({
  list: { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage },
}: ShowMoreProps) {
  if (!hasNextPage) return null;
  const more = () => void fetchNextPage();
  if (isFetchNextPageError && !isFetchingNextPage) return <FailureAlert error={error} retry={more} />;
  return (
    <Center className="no-print">
      <Button variant="default" loading={isFetchingNextPage} onClick={more}>
        Show more
      </Button>
    </Center>
  );
}
