import { EmptyState } from './EmptyState.tsx';
import { Screen } from './Screen.tsx';
import { ButtonLink } from './TextLink.tsx';

export const NotFound = () => (
  <Screen title="Not found">
    <EmptyState title="Page not found" action={<ButtonLink href="/">Go to the overview</ButtonLink>}>
      The page may have been deleted, or the URL is wrong.
    </EmptyState>
  </Screen>
);
