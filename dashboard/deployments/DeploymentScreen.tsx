import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { toFailure } from '../api/failure.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Log } from '../ui/Log.tsx';
import { QueryBoundary, Skeletons } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink, ExternalLink } from '../ui/TextLink.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { type Deployment, isInProgress, useBuildLog, useDeployment, useQueuePosition } from './api.ts';
import { BuildFailure, BuildSteps } from './BuildProgress.tsx';
import { failureOf, highlight, stepsOf } from './build-steps.ts';
import { DeployButton } from './DeployButton.tsx';
import { DeploymentStatus } from './DeploymentStatus.tsx';
import { Duration } from './Duration.tsx';
import { TRIGGER_LABELS } from './labels.ts';
import { RollbackButton } from './RollbackButton.tsx';
import { type Serving, servingAfter } from './serving.ts';

/** The parts of an application that its deployments show. */
interface DeployedApp {
  name: string;
  url: string;
  isDeployable: boolean;
  liveDeploymentId: string | null;
  activeDeploymentId: string | null;
}

interface DeploymentScreenProps {
  appId: string;
  /** Undefined while it is loading, or when it cannot be read. */
  app: DeployedApp | undefined;
  /** The deployment is shown only after the application has loaded: its parts of the title and its link would shift the rest. */
  isAppLoading: boolean;
  deploymentId: string;
}

/** One deployment with its live build log. */
export function DeploymentScreen({ appId, app, isAppLoading, deploymentId }: DeploymentScreenProps) {
  const { deployments, older, deployment: loaded } = useDeployment(appId, deploymentId);
  const deployment = isAppLoading ? undefined : loaded;
  // The application is read less often: until then, a deployment that has just succeeded is its active one.
  const isLive =
    app?.liveDeploymentId === deploymentId ||
    (app?.activeDeploymentId === deploymentId && deployment?.status === 'SUCCEEDED');
  return (
    <Screen
      title="Deployment"
      crumbs={[
        { href: '/apps', name: 'Applications' },
        { href: `/apps/${appId}`, name: app?.name ?? 'Application' },
      ]}
      beside={<span role="status">{deployment && <DeploymentStatus value={deployment.status} />}</span>}
      detail={app && isLive && <ExternalLink href={app.url}>{app.url}</ExternalLink>}
      id={deployment?.id}
      actions={
        deployment &&
        !isInProgress(deployment) && (
          <>
            {deployment.canRollBack && !isLive && <RollbackButton deployment={deployment} />}
            <DeployButton appId={appId} disabled={app?.isDeployable === false} label="Deploy latest commit" />
          </>
        )
      }
    >
      {isAppLoading ? (
        <Skeletons lines={6} />
      ) : (
        <>
          <QueryBoundary query={deployments} lines={6}>
            {() =>
              deployment ? (
                <DeploymentDetails deployment={deployment} />
              ) : toFailure(older.error).status === 404 ? (
                <EmptyState
                  title="Deployment not found"
                  action={<ButtonLink href={`/apps/${appId}`}>Go to the application</ButtonLink>}
                >
                  The deployment may have been deleted, or the URL is wrong.
                </EmptyState>
              ) : (
                <QueryBoundary query={older} lines={6}>
                  {() => null}
                </QueryBoundary>
              )
            }
          </QueryBoundary>
          {deployment && (
            <BuildLog
              appId={appId}
              serving={servingAfter(deploymentId, app?.liveDeploymentId, deployments.data?.data ?? [])}
              id={deploymentId}
              live={isInProgress(deployment)}
            />
          )}
        </>
      )}
    </Screen>
  );
}

const DeploymentDetails = ({ deployment }: { deployment: Deployment }) => (
  <Group gap="md">
    <Text size="sm">
      {TRIGGER_LABELS[deployment.trigger]}, <TimeAgo at={deployment.startedAt} />
    </Text>
    <Text size="sm">
      <Duration deployment={deployment} />
    </Text>
    {deployment.commitSha && (
      <Text size="sm">
        commit <code>{deployment.commitSha}</code>
      </Text>
    )}
    {deployment.status === 'QUEUED' && <QueuePosition id={deployment.id} />}
  </Group>
);

function QueuePosition({ id }: { id: string }) {
  const queue = useQueuePosition(id);
  return (
    queue && (
      <Text size="sm">
        {queue.reason} (number {queue.position} in your queue)
      </Text>
    )
  );
}

interface BuildLogProps {
  appId: string;
  serving: Serving | undefined;
  id: string;
  live: boolean;
}

/** The log of a deployment below its steps; the reason of a failure is at the top. */
function BuildLog({ appId, serving, id, live }: BuildLogProps) {
  const [paused, setPaused] = useState(false);
  return (
    <QueryBoundary query={useBuildLog(id, live, paused)} lines={6}>
      {(lines) => {
        const reason = failureOf(lines);
        return (
          <>
            {reason !== undefined && !live && <BuildFailure appId={appId} reason={reason} serving={serving} />}
            <BuildSteps steps={stepsOf(lines, live)} />
            <Log
              name="Build log"
              lines={lines.map(({ text }) => highlight(text))}
              live={live}
              paused={paused}
              pause={setPaused}
              fileName={`${id}.log`}
            />
          </>
        );
      }}
    </QueryBoundary>
  );
}
