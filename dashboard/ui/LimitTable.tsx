import { describeBeyond, LIMIT_NAMES, type LimitName, limitRule } from '../../contract/limits/limits.ts';
import { capitalize, formatNumber } from './chart/figures.ts';
import { DataTable } from './DataTable.tsx';

interface LimitTableProps {
  limits: Record<LimitName, number>;
  usage: Partial<Record<LimitName, number | undefined>>;
  /** Limits that operators have set. The table marks them. */
  overrides?: Record<string, number>;
}

/** The limits of an account, the usage of those that are counted, and what happens beyond each. */
export const LimitTable = ({ limits, usage, overrides = {} }: LimitTableProps) => (
  <DataTable
    name="Limits"
    items={LIMIT_NAMES}
    idOf={(name) => name}
    columns={[
      { name: 'Limit', show: (name) => capitalize(limitRule(name).counts) },
      { name: 'In use', number: true, show: (name) => formatUsage(usage[name]) },
      {
        name: 'Maximum',
        number: true,
        show: (name) => `${formatNumber(limits[name])}${overrides[name] === undefined ? '' : ' (set by operators)'}`,
      },
      { name: 'Beyond it', long: true, show: describeBeyond },
    ]}
  />
);

const formatUsage = (used: number | undefined) => (used === undefined ? '–' : formatNumber(used));
