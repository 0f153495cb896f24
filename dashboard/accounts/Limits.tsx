import { useMe } from '../api/use-me.ts';
import { LimitTable } from '../ui/LimitTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';

/** The account's limits, and the usage of those that are counted. */
export const Limits = () => (
  <Section
    title="Limits"
    description="Your usage, and what happens when you exceed a limit."
    actions={<TextLink href="/billing/plans">Compare plans</TextLink>}
  >
    <QueryBoundary query={useMe()}>
      {({ data: { account } }) => <LimitTable limits={account.limits} usage={account.usage} />}
    </QueryBoundary>
  </Section>
);
