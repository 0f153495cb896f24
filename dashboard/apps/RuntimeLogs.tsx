import { Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatTime } from '../ui/TimeAgo.tsx';
import { type Application, useRuntimeLog } from './api.ts';
import { type LogLevel, type LogWindow, levelOf, logsBetween, parseLogWindow } from './log-window.ts';

const LEVELS: readonly { value: string; label: string; levels: readonly LogLevel[] }[] = [
  { value: 'all', label: 'All levels', levels: ['error', 'warning', 'info'] },
  { value: 'warning', label: 'Warnings and errors', levels: ['error', 'warning'] },
  { value: 'error', label: 'Errors', levels: ['error'] },
];

const HOUR_MS = 3_600_000;
const TIMES = [
  { value: 'live', label: 'Live, last 24 hours', ms: 0 },
  { value: 'hour', label: 'Last hour', ms: HOUR_MS },
  { value: 'day', label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { value: 'week', label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { value: 'month', label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
] as const;

/** Output of the running application: followed live, or of a span of time that the URL names. */
export function RuntimeLogs({ app }: { app: Application }) {
  const [paused, setPaused] = useState(false);
  const [level, setLevel] = useState('all');
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const span = parseLogWindow(search);
  const levels = LEVELS.find(({ value }) => value === level)?.levels ?? [];
  const changeTime = (value: string) => {
    const ms = TIMES.find((time) => time.value === value)?.ms ?? 0;
    navigate(ms === 0 ? `/apps/${app.id}/logs` : logsBetween(app.id, Date.now() - ms, Date.now()));
  };
  return (
    <Section
      title="Runtime logs"
      description={span ? <Span span={span} appId={app.id} /> : 'Output of the last 24 hours, in your time zone.'}
      actions={
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label="Time"
            value={span ? 'span' : 'live'}
            onChange={(event) => changeTime(event.currentTarget.value)}
            data={[...(span ? [{ value: 'span', label: 'Chosen time' }] : []), ...TIMES]}
          />
          <NativeSelect
            size="xs"
            aria-label="Level"
            value={level}
            onChange={(event) => setLevel(event.currentTarget.value)}
            data={[...LEVELS]}
          />
        </Group>
      }
    >
      <QueryBoundary query={useRuntimeLog(app.id, paused, span)} lines={6}>
        {(all) => {
          const lines = level === 'all' ? all : all.filter(({ text }) => levels.includes(levelOf(text)));
          return all.length === 0 ? (
            <EmptyState title={span ? 'No output in this time' : 'No output yet'}>
              Everything the application writes to standard output appears here.
            </EmptyState>
          ) : (
            <>
              {lines.length < all.length && (
                <Text size="sm" c="dimmed" role="status">
                  {lines.length} of {all.length} lines have this level.
                </Text>
              )}
              <Log
                name="Application log"
                lines={lines.map(({ at, text }) => `${formatClock(at, span)}  ${text}`)}
                live={!span}
                paused={paused}
                pause={setPaused}
                fileName={`${app.slug}.log`}
              />
            </>
          );
        }}
      </QueryBoundary>
    </Section>
  );
}

const Span = ({ span: { from, to }, appId }: { span: LogWindow; appId: string }) => (
  <>
    {formatTime(from)} to {formatTime(to)} · <TextLink href={`/apps/${appId}/logs`}>Show live logs</TextLink>
  </>
);

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat('sv-SE');

/** Formats the time of a line, local like all times of the dashboard; with the date where it may be another day's. */
const formatClock = (at: string, span: LogWindow | undefined): string => {
  const date = new Date(at);
  const clock = clockFormat.format(date);
  return span ? `${dayFormat.format(date)} ${clock}` : clock;
};
