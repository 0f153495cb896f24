import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Two state machines in Amazon States Language. The state contains only ids, the verdict of the last step with the address of the build's job,
 * the id, status and phases of the build and, after a failure, an error. All other data is in the table's items. The definitions use JSONPath
 * without `$$`, variables or task tokens, because the local run's engine does not support these; a test enforces that.
 */

const { build, release } = TIMEOUTS_S;
/**
 * The wait for a builder, after which the last build may start; the wait for the release; and the other steps. Every step may be repeated after
 * failures of Lambda and after throttling.
 */
const DEPLOYMENT_S =
  build.wait +
  build.whole +
  release.wait +
  2 * (release.begin + release.release + release.check + release.switch) +
  4 * 3600;

/**
 * Retries failures of Lambda itself (https://docs.aws.amazon.com/step-functions/latest/dg/bp-lambda-serviceexception.html). An error that a
 * step throws is a fault and is not retried.
 */
const retryLambda = {
  ErrorEquals: [
    'Lambda.ClientExecutionTimeoutException',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.TooManyRequestsException',
  ],
  IntervalSeconds: 2,
  MaxAttempts: 5,
  BackoffRate: 2,
};

/**
 * Retries steps that AWS still refused after their own attempts: because the account's rate of a service was used up (Lambda, CloudWatch Logs,
 * the key-value store, Route 53), or because of a concurrent change of the same function or log group.
 */
const retryThrottling = {
  ErrorEquals: [
    'TooManyRequestsException',
    'ThrottlingException',
    'Throttling',
    'ResourceConflictException',
    'OperationAbortedException',
  ],
  IntervalSeconds: 20,
  MaxAttempts: 3,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
  JitterStrategy: 'FULL',
};

/** Retries a check of a running build after any error, because CodeBuild may be unreachable for some minutes. */
const retryBuildCheck = {
  ErrorEquals: ['States.ALL'],
  IntervalSeconds: 15,
  MaxAttempts: 6,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
};

/**
 * Retries a step that publishes the new release after any error: after its first effect the deployment has succeeded, and must not be recorded
 * as failed because the table or the edge was briefly unavailable.
 */
const retryPublishing = {
  ErrorEquals: ['States.ALL'],
  IntervalSeconds: 2,
  MaxAttempts: 6,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
};

/** Passes any error to Fail, which records it. The previous release keeps serving. */
const orFail = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Fail' }];

/** Returns a step that invokes a function. The function's own timeout (lib/stacks/deployments.ts) bounds it. */
function step(functionArn: string, next: string) {
  return {
    Type: 'Task',
    Resource: functionArn,
    // The result is dropped: the state holds only ids.
    ResultPath: null,
    Retry: [retryLambda, retryThrottling],
    Catch: orFail,
    Next: next,
  };
}

/**
 * Returns a step that ends with a verdict, and the choice after it. A failure caused by the application's owner is a verdict
 * (domain/deployments/verdict.ts), so that the function's errors are only the platform's own.
 */
function judgedStep(name: string, functionArn: string, next: string, choices: object[] = []) {
  const choice = `${name}Verdict`;
  return {
    [name]: { ...step(functionArn, choice), ResultPath: '$.step' },
    [choice]: {
      Type: 'Choice',
      Choices: [{ Variable: '$.step.failed', BooleanEquals: true, Next: 'Fail' }, ...choices],
      Default: next,
    },
  };
}

/** Adds retries after any error to one of the states. */
const withPublishingRetries = (name: string, states: Record<string, object>) => ({
  ...states,
  [name]: { ...states[name], Retry: [retryLambda, retryThrottling, retryPublishing] },
});

/** ARNs of the steps' functions. */
export interface DeploymentSteps {
  beginDeployment: string;
  submitBuild: string;
  watchBuild: string;
  releaseDeployment: string;
  checkRelease: string;
  switchRelease: string;
  succeedDeployment: string;
  failDeployment: string;
  pruneReleases: string;
  moveApp: string;
}

/** Retries a step of a move after any error. */
const retryMove = { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 4, BackoffRate: 2.5 };

/**
 * Moves an application to another hosting cell, step by step (domain/moves/). These states are part of this machine, because the alarms of
 * another machine would cost extra. If a step fails after all retries, the move is abandoned as long as the old cell serves the application;
 * after that, the step is repeated. Input: accountId, moveId.
 */
function moveStates(moveApp: string) {
  const task = { Type: 'Task', Resource: moveApp, ResultPath: '$.progress', Retry: [retryMove], Next: 'Moved' };
  return {
    Move: { ...task, Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'AbandonMove' }] },
    AbandonMove: task,
    Moved: {
      Type: 'Choice',
      Choices: [{ Variable: '$.progress.done', BooleanEquals: true, Next: 'Done' }],
      Default: 'WaitToMove',
    },
    WaitToMove: { Type: 'Wait', SecondsPath: '$.progress.waitSeconds', Next: 'Move' },
  };
}

/** The execution's input (domain/deployments/executions.ts). */
const INPUT = ['accountId', 'applicationId', 'deploymentId', 'trigger'];

/**
 * Queued → running → built → (waiting to release) → released → checked → switched → succeeded; or failed. A rollback already has its release and
 * skips the build. The move of an application to another cell has separate states.
 */
export function deploymentMachine(steps: DeploymentSteps) {
  return {
    Comment: 'Takes a deployment from its Git branch to a live release',
    StartAt: 'Kind',
    TimeoutSeconds: DEPLOYMENT_S,
    States: {
      Kind: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.trigger', StringEquals: 'MOVE', Next: 'Move' },
          // The execution that began to publish the release has ended.
          { Variable: '$.trigger', StringEquals: 'PUBLISH', Next: 'Switch' },
        ],
        Default: 'Begin',
      },
      ...moveStates(steps.moveApp),
      // `step.jobUrl` is the address of the job, which is useless once the build has read and deleted the job.
      ...judgedStep('Begin', steps.beginDeployment, 'Build', [
        { Variable: '$.trigger', StringEquals: 'ROLLBACK', Next: 'Check' },
      ]),
      // Builds may run in another region, where Step Functions cannot wait for them (docs/decisions/0036-preflight-and-regions.md).
      Build: { ...step(steps.submitBuild, 'BuildStatus'), ResultPath: '$.build' },
      Poll: {
        ...step(steps.watchBuild, 'BuildStatus'),
        ResultPath: '$.build',
        Retry: [retryLambda, retryThrottling, retryBuildCheck],
      },
      BuildStatus: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.build.failed', BooleanEquals: true, Next: 'Fail' },
          { Variable: '$.build.status', StringEquals: 'RUNNING', Next: 'Poll' },
          { Variable: '$.build.status', StringEquals: 'QUEUED', Next: 'Queue' },
          { Variable: '$.build.status', StringEquals: 'SUCCEEDED', Next: 'Release' },
        ],
        Default: 'Fail',
      },
      Queue: { Type: 'Wait', SecondsPath: '$.build.pause', Next: 'Poll' },
      // New AWS accounts can run only one build at a time. A build that got no builder is submitted again with new access, which lasts an hour.
      WaitForBuilder: { Type: 'Wait', SecondsPath: '$.failure.pause', Next: 'Again' },
      // Removes the previous build from the state.
      Again: {
        Type: 'Pass',
        Parameters: Object.fromEntries(INPUT.map((name) => [`${name}.$`, `$.${name}`])),
        Next: 'Begin',
      },
      // Earlier versions of the step do not set `waiting`.
      ...judgedStep('Release', steps.releaseDeployment, 'Check', [
        {
          And: [
            { Variable: '$.step.waiting', IsPresent: true },
            { Variable: '$.step.waiting', BooleanEquals: true },
          ],
          Next: 'WaitToRelease',
        },
      ]),
      // Lambda accepts a limited rate of changes in an account, so the release waits until there is capacity.
      WaitToRelease: { Type: 'Wait', SecondsPath: '$.step.pause', Next: 'Release' },
      ...judgedStep('Check', steps.checkRelease, 'Switch'),
      ...withPublishingRetries('Switch', judgedStep('Switch', steps.switchRelease, 'Succeed')),
      ...withPublishingRetries('Succeed', { Succeed: step(steps.succeedDeployment, 'Prune') }),
      // The deployment has ended, so errors are ignored: this step of the next deployment prunes the remaining releases.
      Prune: {
        Type: 'Task',
        Resource: steps.pruneReleases,
        ResultPath: null,
        Retry: [retryLambda, retryThrottling],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
      WaitToPublish: { Type: 'Wait', SecondsPath: '$.failure.pause', Next: 'Switch' },
      // Recording a deployment's failure counts as a successful execution. The execution fails only if the failure
      // cannot be recorded, which raises an alarm; the reconciler then ends the deployment.
      Fail: {
        Type: 'Task',
        Resource: steps.failDeployment,
        ResultPath: '$.failure',
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2 }],
        Next: 'FailedOrAgain',
      },
      FailedOrAgain: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.failure.again', BooleanEquals: true, Next: 'WaitForBuilder' },
          // Present only for a release that may receive traffic already.
          {
            And: [
              { Variable: '$.failure.publish', IsPresent: true },
              { Variable: '$.failure.publish', BooleanEquals: true },
            ],
            Next: 'WaitToPublish',
          },
        ],
        Default: 'Prune',
      },
    },
  };
}

/**
 * Removes an application's resources: its function, routes and files. The step is idempotent and runs twice: after the first run, a stopped
 * build may still store files, and a crashed step may have left a release behind. Input: accountId, applicationId, cellIds, and the deploymentId
 * if a deployment was running.
 */
export function teardownMachine({ teardownApp }: { teardownApp: string }) {
  const teardown = {
    Type: 'Task',
    Resource: teardownApp,
    ResultPath: null,
    Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 7, BackoffRate: 2.5 }],
  };
  return {
    Comment: 'Removes all resources of a deleted application',
    StartAt: 'Teardown',
    // Both runs with all their attempts, and the wait between them.
    TimeoutSeconds: 3 * 3600,
    States: {
      Teardown: { ...teardown, Next: 'LastWords' },
      LastWords: { Type: 'Wait', Seconds: 60, Next: 'Sweep' },
      Sweep: { ...teardown, End: true },
    },
  };
}
