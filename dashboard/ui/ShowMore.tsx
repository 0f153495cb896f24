import { Button, Center } from '@mantine/core';
import type { MorePages } from '../api/use-more-pages.ts';
import { FailureAlert } from './FailureAlert.tsx';

/** A button that loads the next page of a paged list; nothing at the end of the list. */
export function ShowMore({
  list: { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage },
}: {
  list: MorePages;
}) {
  if (!hasNextPage) return null;
  if (isFetchNextPageError && !isFetchingNextPage) return <FailureAlert error={error} retry={fetchNextPage} />;
  return (
    <Center className="no-print">
      <Button variant="default" loading={isFetchingNextPage} onClick={fetchNextPage}>
        Show more
      </Button>
    </Center>
  );
}
