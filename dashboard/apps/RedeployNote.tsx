import { Alert, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { DeployButton } from '../deployments/DeployButton.tsx';
import { type Application, isDeployable } from './api.ts';

/** Applications with saved changes, by what changed, and the deployment that was live then. It outlives a change of screen. */
const changed = new Map<string, string | null>();

/** Returns whether saved changes wait for the next deployment, and a function to call after saving. */
export function useUnapplied(app: Application, what: string): [isUnapplied: boolean, markChanged: () => void] {
  const [, setCount] = useState(0);
  const name = `${app.id} ${what}`;
  return [
    changed.get(name) === app.liveDeploymentId && app.activeDeploymentId === null,
    () => {
      changed.set(name, app.liveDeploymentId);
      setCount((count) => count + 1);
    },
  ];
}

/** Says that a saved change waits for the next deployment, with the button that starts it. */
export const RedeployNote = ({ app, what }: { app: Application; what: string }) => (
  <Alert variant="default" role="status">
    <Group justify="space-between">
      <Text size="sm">
        {app.liveDeploymentId && `The live deployment still uses the previous ${what}. `}Redeploy to apply the change.
      </Text>
      <DeployButton appId={app.id} disabled={!isDeployable(app)} label="Redeploy" />
    </Group>
  </Alert>
);
