import { useState } from 'react';
import { Empty } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import type { Application } from './api.ts';
import { useAppLog } from './use-log.ts';

/** What the application prints while it runs, as it prints it. */
export function RunLogs({ app }: { app: Application }) {
  const [paused, setPaused] = useState(false);
  return (
    <Section title="Logs" about="What the application printed in the last 24 hours. Times are in UTC.">
      <Loaded query={useAppLog(app.id, paused)} lines={6}>
        {(lines) =>
          lines.length === 0 ? (
            <Empty title="Nothing was printed">What the application writes to its standard output appears here.</Empty>
          ) : (
            <Log
              name="Application log"
              lines={lines.map(({ at, text }) => `${clock(at)}  ${text}`)}
              live
              paused={paused}
              pause={setPaused}
              fileName={`${app.slug}.log`}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** The time of day, to the second. */
const clock = (at: string): string => at.slice(11, 19);
