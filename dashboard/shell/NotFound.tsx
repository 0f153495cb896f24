import { Empty } from '../ui/EmptyState.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';

export const NotFound = () => (
  <Screen title="Not found">
    <Empty title="There is no such page" action={<ButtonLink href="/">Go to the overview</ButtonLink>}>
      It may have been deleted, or the address is wrong.
    </Empty>
  </Screen>
);
