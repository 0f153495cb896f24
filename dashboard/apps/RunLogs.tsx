import { useState } from 'react';
import { ActButton } from '../ui/ActButton.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Log } from '../ui/Log.tsx';
import { Section } from '../ui/Section.tsx';
import type { Application } from './api.ts';
import { useAppLog } from './use-log.ts';

/** What the application prints while it runs, as it prints it. */
export function RunLogs({ app }: { app: Application }) {
  const [live, setLive] = useState(true);
  return (
    <Section
      title="Logs"
      about="What the application printed in the last 24 hours."
      actions={<ActButton act={async () => setLive(!live)}>{live ? 'Pause' : 'Follow'}</ActButton>}
    >
      <Loaded query={useAppLog(app.id, live)} lines={6}>
        {(lines) =>
          lines.length === 0 ? (
            <Empty title="Nothing was printed">What the application writes to its standard output appears here.</Empty>
          ) : (
            <Log
              name="Application log"
              live={live}
              text={lines.map(({ at, text }) => `${clock(at)}  ${text}`).join('\n')}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** The time of day, to the second. */
const clock = (at: string): string => at.slice(11, 19);
