import { limitRule } from '../../contract/limits/limits.ts';
import { useMe } from '../api/use-me.ts';
import { Meter } from '../ui/Meter.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';

const LIMITS = ['databaseStorageMib', 'databaseUnitsPerMonth'] as const;

/** The usage of all databases of the account, with its limits. */
export const DatabaseUse = () => (
  <Section title="Usage" description="Measured every few hours. At a limit, applications cannot open new connections.">
    <QueryBoundary query={useMe()}>
      {({ data: { account } }) => (
        <div className="card">
          {LIMITS.map((name) => (
            <Meter
              key={name}
              name={limitRule(name).counts}
              used={account.usage[name] ?? 0}
              limit={account.limits[name]}
            />
          ))}
        </div>
      )}
    </QueryBoundary>
  </Section>
);
