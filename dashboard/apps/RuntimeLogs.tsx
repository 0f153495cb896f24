import { useState } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { type Application, useRuntimeLog } from './api.ts';

/** Output of the running application, followed live. */
export function RuntimeLogs({ app }: { app: Application }) {
  const [paused, setPaused] = useState(false);
  return (
    <Section title="Runtime logs" description="Output of the last 24 hours, in your time zone.">
      <QueryBoundary query={useRuntimeLog(app.id, paused)} lines={6}>
        {(lines) =>
          lines.length === 0 ? (
            <EmptyState title="No output yet">
              Everything the application writes to standard output appears here.
            </EmptyState>
          ) : (
            <Log
              name="Application log"
              lines={lines.map(({ at, text }) => `${formatClock(at)}  ${text}`)}
              live
              paused={paused}
              pause={setPaused}
              fileName={`${app.slug}.log`}
            />
          )
        }
      </QueryBoundary>
    </Section>
  );
}

/** Formats the time of day, local like all times of the dashboard. */
const formatClock = (at: string): string => new Date(at).toLocaleTimeString('en-GB');
