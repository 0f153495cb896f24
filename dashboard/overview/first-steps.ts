import type { Account } from '../accounts/api.ts';
import type { Application } from '../apps/api.ts';

/** The state from which the checklist of a new account is derived. */
export interface FirstStepsState {
  account: Pick<Account, 'usage' | 'limits'>;
  apps: readonly Pick<Application, 'id' | 'repoUrl' | 'liveDeploymentId'>[];
  hasAiCredits: boolean;
  /** Address of the example; empty if the installation offers none. */
  exampleRepository: string;
}

export type StepId = 'example' | 'repository' | 'key' | 'webhook' | 'credits';

export interface FirstStep {
  id: StepId;
  isDone: boolean;
}

/** Returns the checklist. Each step completes itself: it is read from the account, and not remembered. */
export function firstSteps({ account, apps, hasAiCredits, exampleRepository }: FirstStepsState): FirstStep[] {
  const { apiKeys = 0, webhookEndpoints = 0 } = account.usage;
  const isLive = ({ liveDeploymentId }: { liveDeploymentId: string | null }) => liveDeploymentId !== null;
  const hasOwn = apps.some((app) => isLive(app) && app.repoUrl !== null && app.repoUrl !== exampleRepository);
  return [
    ...(exampleRepository === '' ? [] : [{ id: 'example' as const, isDone: apps.some(isLive) }]),
    { id: 'repository', isDone: hasOwn },
    { id: 'key', isDone: apiKeys > 0 },
    { id: 'webhook', isDone: webhookEndpoints > 0 },
    { id: 'credits', isDone: hasAiCredits },
  ];
}

/** Returns the example that has to give way to the user's repository, where the plan has no room for another application. */
export function exampleToReplace({ account, apps, exampleRepository }: Omit<FirstStepsState, 'hasAiCredits'>) {
  const isFull = (account.usage.applications ?? 0) >= account.limits.applications;
  return isFull ? apps.find(({ repoUrl }) => repoUrl === exampleRepository) : undefined;
}
