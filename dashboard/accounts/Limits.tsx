import { LIMIT_NAMES, limitRule } from '../../contract/limits/limits.ts';
import { formatNumber } from '../ui/chart/figures.ts';
import { DataTable } from '../ui/DataTable.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { useMe } from './api.ts';

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The account's limits, and how much of each is in use where that is counted. */
export const Limits = () => (
  <Section
    title="Limits"
    description="Requests beyond a limit are refused with an error that names it. Support can raise a limit."
    actions={<TextLink href="/billing/plans">Compare plans</TextLink>}
  >
    <QueryBoundary query={useMe()}>
      {({ data: { account } }) => (
        <DataTable
          name="Limits"
          items={LIMIT_NAMES}
          idOf={(name) => name}
          columns={[
            { name: 'Limit', show: (name) => capitalize(limitRule(name).counts) },
            { name: 'In use', number: true, show: (name) => formatUsage(account.usage[name]) },
            { name: 'Maximum', number: true, show: (name) => formatNumber(account.limits[name]) },
          ]}
        />
      )}
    </QueryBoundary>
  </Section>
);

const formatUsage = (used: number | undefined) => (used === undefined ? '–' : formatNumber(used));
