import { Stack } from '@mantine/core';
import { memo } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byTime, type ListView } from '../ui/list-view.ts';
import { RowLink } from '../ui/Row.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type Deployment, useDeployments } from './api.ts';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { Duration } from './Duration.tsx';
import { statusLabel, TRIGGER_LABELS } from './labels.ts';

interface DeploymentsProps {
  appId: string;
  liveId: string | null;
  hasRepository: boolean;
}

const VIEW: ListView<Deployment> = {
  text: ({ id, commitSha, trigger }) => `${id} ${commitSha} ${TRIGGER_LABELS[trigger]}`,
  sorts: {
    oldest: { label: 'Oldest first', compare: byTime(({ startedAt }) => startedAt) },
    duration: { label: 'Longest first', compare: (a, b) => durationOf(b) - durationOf(a) },
  },
  status: ({ status }) => status,
};

const durationOf = ({ startedAt, finishedAt }: Deployment): number =>
  finishedAt === null ? 0 : Date.parse(finishedAt) - Date.parse(startedAt);

/** An application's deployments, newest first. */
export function Deployments({ appId, liveId, hasRepository }: DeploymentsProps) {
  const filter = useListFilter();
  const deployments = useDeployments(appId, { allPages: filter.isActive });
  return (
    <Stack>
      <FilteredList
        name="deployments"
        list={deployments}
        filter={filter}
        view={VIEW}
        statusLabel={statusLabel}
        empty={
          hasRepository ? (
            <EmptyState title="No deployments yet">Select Deploy to deploy the production branch.</EmptyState>
          ) : (
            <EmptyState
              title="No deployments yet"
              action={<ButtonLink href={`/apps/${appId}/settings`}>Add a repository</ButtonLink>}
            >
              This application has no Git repository.
            </EmptyState>
          )
        }
      >
        {(items) => (
          <div className="card">
            {items.map((deployment) => (
              <DeploymentRow key={deployment.id} deployment={deployment} isLive={deployment.id === liveId} />
            ))}
          </div>
        )}
      </FilteredList>
    </Stack>
  );
}

const DeploymentRow = memo(({ deployment, isLive }: { deployment: Deployment; isLive: boolean }) => (
  <RowLink href={`/apps/${deployment.applicationId}/deployments/${deployment.id}`}>
    <div className="row-line">
      <div className="row-side">
        <DeploymentStatus value={deployment.status} />
        <code>{deployment.commitSha || '–'}</code>
        <small>{TRIGGER_LABELS[deployment.trigger]}</small>
        {isLive && <Status value="LIVE" />}
      </div>
      <div className="row-detail">
        <TimeAgo at={deployment.startedAt} /> · <Duration deployment={deployment} />
      </div>
    </div>
  </RowLink>
));
