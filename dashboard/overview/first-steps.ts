import type { Account } from '../api/use-me.ts';
import type { Application } from '../apps/api.ts';

/** The state from which the checklist of a new account is derived. */
export interface FirstStepsState {
  account: Pick<Account, 'usage' | 'limits'>;
  apps: readonly Pick<Application, 'id' | 'repoUrl' | 'liveDeploymentId'>[];
  hasAiCredits: boolean;
  /** URL of the example repository; empty if the installation offers none. */
  exampleRepository: string;
}

export type StepId = 'example' | 'repository' | 'key' | 'webhook' | 'credits';

export interface FirstStep {
  id: StepId;
  isDone: boolean;
}

/** Returns the checklist. Each step's completion is derived from the account and not stored. */
export function firstSteps({ account, apps, hasAiCredits, exampleRepository }: FirstStepsState): FirstStep[] {
  const { apiKeys = 0, webhookEndpoints = 0 } = account.usage;
  const isLive = ({ liveDeploymentId }: { liveDeploymentId: string | null }) => liveDeploymentId !== null;
  const hasOwnApp = apps.some((app) => isLive(app) && app.repoUrl !== null && app.repoUrl !== exampleRepository);
  return [
    ...(exampleRepository === '' ? [] : [{ id: 'example' as const, isDone: apps.some(isLive) }]),
    { id: 'repository', isDone: hasOwnApp },
    { id: 'key', isDone: apiKeys > 0 },
    { id: 'webhook', isDone: webhookEndpoints > 0 },
    { id: 'credits', isDone: hasAiCredits },
  ];
}

/** Returns the example application if it has to make room for the user's repository, because the plan allows no further application. */
export function exampleToReplace({ account, apps, exampleRepository }: Omit<FirstStepsState, 'hasAiCredits'>) {
  const isFull = (account.usage.applications ?? 0) >= account.limits.applications;
  return isFull ? apps.find(({ repoUrl }) => repoUrl === exampleRepository) : undefined;
}
