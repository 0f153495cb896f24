import { Alert, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { DeployButton } from '../deployments/DeployButton.tsx';
import { type Application, isDeployable } from './api.ts';

/**
 * The live deployment at the time of the last save, by application and kind of change. Module state, so that it survives navigation.
 */
const liveWhenSaved = new Map<string, string | null>();

/** Returns true if saved changes wait for the next deployment, and a function to call after a save. */
export function useUnapplied(app: Application, kind: string): [isUnapplied: boolean, markChanged: () => void] {
  const [, setCount] = useState(0);
  const name = `${app.id} ${kind}`;
  return [
    liveWhenSaved.get(name) === app.liveDeploymentId && app.activeDeploymentId === null,
    () => {
      liveWhenSaved.set(name, app.liveDeploymentId);
      setCount((count) => count + 1);
    },
  ];
}

/** Tells the user that a saved change waits for the next deployment, with a button that starts it. */
export const RedeployNote = ({ app, kind }: { app: Application; kind: string }) => (
  <Alert variant="default" role="status">
    <Group justify="space-between">
      <Text size="sm">
        {app.liveDeploymentId && `The live deployment still uses the previous ${kind}. `}Redeploy to apply the change.
      </Text>
      <DeployButton appId={app.id} disabled={!isDeployable(app)} label="Redeploy" />
    </Group>
  </Alert>
);
