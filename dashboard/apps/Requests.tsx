import { Text } from '@mantine/core';
import { formatBytes } from '../databases/bytes.ts';
import { formatCount, formatMs, formatShare } from '../ui/chart/figures.ts';
import { RangeLinks } from '../ui/chart/RangeLinks.tsx';
import { useRange } from '../ui/chart/use-range.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { ExternalLink, TextLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type Application, type AppRequests, appUrl, useAppRequests } from './api.ts';
import { logsBetween } from './log-window.ts';
import { RANGES } from './ranges.ts';

type Path = AppRequests['paths'][number];
type Request = AppRequests['recent'][number];

const Name = ({ method, path }: Record<'method' | 'path', string>) => (
  <code className="break">
    {method} {path}
  </code>
);

const PATH_COLUMNS: readonly Column<Path>[] = [
  { name: 'Path', show: Name },
  { name: 'Requests', number: true, show: ({ requests }) => formatCount(requests) },
  { name: '5xx', number: true, show: ({ serverErrors, requests }) => formatShare(serverErrors, requests) },
  { name: '4xx', number: true, show: ({ clientErrors, requests }) => formatShare(clientErrors, requests) },
  { name: 'p50', number: true, show: ({ p50Ms }) => formatMs(p50Ms) },
  { name: 'p95', number: true, show: ({ p95Ms }) => formatMs(p95Ms) },
  { name: 'Slowest', number: true, show: ({ maxMs }) => formatMs(maxMs) },
  { name: 'Sent', number: true, show: ({ bytes }) => formatBytes(bytes) },
];

const PATHS: ListView<Path> = {
  text: ({ method, path }) => `${method} ${path}`,
  order: 'Most requests',
  sorts: {
    slowest: { label: 'Slowest (p95)', compare: (a, b) => b.p95Ms - a.p95Ms },
    failing: { label: 'Most server errors', compare: (a, b) => b.serverErrors - a.serverErrors },
    bytes: { label: 'Most bandwidth', compare: (a, b) => b.bytes - a.bytes },
    path: { label: 'Path', compare: byName(({ path }) => path) },
  },
};

const REQUESTS: ListView<Request> = {
  text: ({ method, path, status }) => `${method} ${path} ${status}`,
  sorts: {
    slowest: { label: 'Slowest first', compare: (a, b) => b.ms - a.ms },
    oldest: { label: 'Oldest first', compare: byTime(({ at }) => at) },
  },
  status: ({ status }) => `${Math.floor(status / 100)}xx`,
};

/** Time before and after a request in which its log lines are shown. Background work that it started may print later. */
const LOG_MARGIN_MS = 5000;

/** Requests of an application: by path, and the latest ones. */
export function Requests({ app }: { app: Application }) {
  const range = useRange(RANGES);
  return (
    <Section
      title="Requests"
      description="Grouped by path. Paths that differ only in identifiers count as one."
      actions={
        <RangeLinks ranges={RANGES} current={range} hrefOf={(option) => `/apps/${app.id}/requests?range=${option}`} />
      }
    >
      <QueryBoundary query={useAppRequests(app.id, range)} lines={6}>
        {({ data }) =>
          data.totals.requests === 0 ? (
            <EmptyState title={`No requests in the last ${range}`}>
              Requests to <ExternalLink href={appUrl(app)}>{appUrl(app)}</ExternalLink> appear here after the next
              deployment.
            </EmptyState>
          ) : (
            <Figures app={app} data={data} />
          )
        }
      </QueryBoundary>
    </Section>
  );
}

function Figures({ app, data: { totals, paths, recent, isComplete } }: { app: Application; data: AppRequests }) {
  const [pathFilter, requestFilter] = [useListFilter(), useListFilter('request', 'request-')];
  const columns: readonly Column<Request>[] = [
    { name: 'Time', show: ({ at }) => <TimeAgo at={at} /> },
    { name: 'Request', show: Name },
    { name: 'Status', number: true, show: ({ status }) => status },
    { name: 'Duration', number: true, show: ({ ms }) => formatMs(ms) },
    { name: 'Sent', number: true, show: ({ bytes }) => formatBytes(bytes) },
    {
      name: 'Logs',
      show: ({ at, id, ms, method, path }) => (
        <TextLink
          href={logsBetween(app.id, Date.parse(at) - ms - LOG_MARGIN_MS, Date.parse(at) + LOG_MARGIN_MS, id)}
          label={`Logs of ${method} ${path}`}
        >
          Logs
        </TextLink>
      ),
    },
  ];
  return (
    <>
      <div className="stats">
        <div className="card">
          <Stat name={isComplete ? 'Requests' : 'Newest requests'} value={formatCount(totals.requests)} />
        </div>
        <div className="card">
          <Stat name="Bandwidth" value={formatBytes(totals.bytes)} />
        </div>
        <div className="card">
          <Stat name="Server errors (5xx)" value={formatShare(totals.serverErrors, totals.requests)} />
        </div>
      </div>
      {!isComplete && (
        <Text size="sm" c="dimmed" role="status">
          There were more requests in this time range. The figures cover the newest ones.
        </Text>
      )}
      <FilteredItems name="paths" items={paths} filter={pathFilter} view={PATHS}>
        {(items) => (
          <DataTable
            name="Paths"
            items={items}
            idOf={({ method, path }) => `${method} ${path}`}
            columns={PATH_COLUMNS}
          />
        )}
      </FilteredItems>
      <Section title="Latest requests" description={`The last ${recent.length}, newest first.`}>
        <FilteredItems
          name="requests"
          items={recent}
          filter={requestFilter}
          view={REQUESTS}
          statusLabel={(status) => status}
        >
          {(items) => (
            <DataTable
              name="Latest requests"
              items={items}
              idOf={(request) => `${recent.indexOf(request)}`}
              columns={columns}
            />
          )}
        </FilteredItems>
      </Section>
    </>
  );
}
