import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { formatTime } from '../ui/TimeAgo.tsx';
import { useUrlState } from '../ui/use-url-state.ts';
import { type Application, useRuntimeLog } from './api.ts';
import { type LogLevel, type LogWindow, levelOf, logsBetween, parseLogWindow } from './log-window.ts';

interface LevelChoice {
  value: string;
  label: string;
  levels: readonly LogLevel[];
}
const ALL_LEVELS: LevelChoice = { value: '', label: 'All levels', levels: ['error', 'warning', 'info'] };
const LEVELS: readonly LevelChoice[] = [
  ALL_LEVELS,
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

/** Output of the running application: live, or of the time range in the URL. */
export function RuntimeLogs({ app }: { app: Application }) {
  const [paused, setPaused] = useState(false);
  const [chosen, setLevel] = useUrlState('level');
  const [requestId, setRequest] = useUrlState('request');
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const span = parseLogWindow(search);
  const { value: level, levels } = LEVELS.find(({ value }) => value === chosen) ?? ALL_LEVELS;
  const changeTime = (value: string) => {
    const ms = TIMES.find((time) => time.value === value)?.ms ?? 0;
    navigate(ms === 0 ? `/apps/${app.id}/logs` : logsBetween(app.id, Date.now() - ms, Date.now()));
  };
  return (
    <Section
      title="Runtime logs"
      description={span ? <Span span={span} appId={app.id} /> : 'Output of the last 24 hours, in your time zone.'}
      actions={
        <Group gap="xs" className="choices">
          <NativeSelect
            size="xs"
            aria-label="Time"
            value={span ? 'span' : 'live'}
            onChange={(event) => changeTime(event.currentTarget.value)}
            data={[...(span ? [{ value: 'span', label: 'Selected range' }] : []), ...TIMES]}
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
          const ofRequest = requestId === '' ? all : all.filter((line) => line.requestId === requestId);
          const lines = level === '' ? ofRequest : ofRequest.filter(({ text }) => levels.includes(levelOf(text)));
          return all.length === 0 ? (
            <EmptyState title={span ? 'No output in this time range' : 'No output yet'}>
              Everything the application writes to standard output appears here.
            </EmptyState>
          ) : (
            <>
              {requestId !== '' && (
                <Group gap="xs">
                  <Text size="sm" role="status">
                    {ofRequest.length} of {all.length} lines belong to request <code>{requestId}</code>.
                  </Text>
                  <Button size="compact-sm" variant="default" onClick={() => setRequest('')}>
                    Show all lines
                  </Button>
                </Group>
              )}
              {lines.length < ofRequest.length && (
                <Text size="sm" c="dimmed" role="status">
                  {lines.length} of {ofRequest.length} lines have this level.
                </Text>
              )}
              <Log
                name="Application log"
                lines={lines.map(
                  (line) =>
                    `${formatClock(line.at, span)}  ${requestId === '' && line.requestId ? `[${line.requestId}] ` : ''}${line.text}`,
                )}
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

/** Formats the local time of a line. In a time range, which may cover several days, adds the date. */
const formatClock = (at: string, span: LogWindow | undefined): string => {
  const date = new Date(at);
  const clock = clockFormat.format(date);
  return span ? `${dayFormat.format(date)} ${clock}` : clock;
};
