import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Two state machines as data, in Amazon States Language. The state holds only ids, the verdict of the last step with the
 * address of the build's job, the id, status and phases of the build and, after a failure, an error; all other data is on the items.
 * JSONPath without `$$`, variables or task tokens: the local run's engine supports none of these, and a test enforces it.
 */

const { build, release } = TIMEOUTS_S;
/**
 * The wait for a builder, whose last build may begin at its end, that for the turn of the release, and the steps around both. Every step may be
 * repeated after failures of Lambda, and after AWS throttled it.
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
 * Retries steps that AWS still refused after their own attempts, because the account's rate of a service was used up (Lambda's, that of
 * CloudWatch Logs and of the key value store, that of Route 53), or because another change of the same function or log group was made.
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

/** Repeats a look at a build, which runs on meanwhile, after any error: CodeBuild may be unreachable for some minutes. */
const retryLook = {
  ErrorEquals: ['States.ALL'],
  IntervalSeconds: 15,
  MaxAttempts: 6,
  BackoffRate: 2,
  MaxDelaySeconds: 60,
};

/**
 * Repeats a step that has the new release serve: from its first effect on the deployment has succeeded, and must not be recorded as a failed one
 * because the table or the edge was away for a moment.
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
 * Returns a step that ends in a verdict, and the choice after it. A failure that the owner of the application caused is
 * a verdict (domain/deployments/verdict.ts), so that the function's errors are the platform's own.
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

/** Returns states of which one is repeated after any error. */
const repeated = (name: string, states: Record<string, object>) => ({
  ...states,
  [name]: { ...states[name], Retry: [retryLambda, retryThrottling, retryPublishing] },
});

/** ARNs of the functions behind the steps. */
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

/** Repeats a step of a move, which may be repeated after any error. */
const retryMove = { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 4, BackoffRate: 2.5 };

/**
 * Moves an application to another hosting cell, step by step (domain/moves/): part of this machine, because each machine's alarms
 * cost as much. A step that fails for good ends the move as long as the old cell serves; after that it is repeated. Input: accountId, moveId.
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
 * Queued → running → built → (waiting for its turn) → released → checked → switched → succeeded; or failed. A rollback has its release already
 * and skips the build. The move of an application to another cell has states of its own.
 */
export function deploymentMachine(steps: DeploymentSteps) {
  return {
    Comment: 'Takes a deployment from its Git branch to a live release',
    StartAt: 'Kind',
    TimeoutSeconds: DEPLOYMENT_S,
    States: {
      Kind: {
        Type: 'Choice',
        Choices: [{ Variable: '$.trigger', StringEquals: 'MOVE', Next: 'Move' }],
        Default: 'Begin',
      },
      ...moveStates(steps.moveApp),
      // `step.jobUrl`: the address of the job, worthless once the build has taken and deleted it.
      ...judgedStep('Begin', steps.beginDeployment, 'Build', [
        { Variable: '$.trigger', StringEquals: 'ROLLBACK', Next: 'Check' },
      ]),
      // Builds are in a region of their own, where Step Functions cannot wait for them (docs/decisions/0036).
      Build: { ...step(steps.submitBuild, 'BuildStatus'), ResultPath: '$.build' },
      Poll: {
        ...step(steps.watchBuild, 'BuildStatus'),
        ResultPath: '$.build',
        Retry: [retryLambda, retryThrottling, retryLook],
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
      // Young accounts build one at a time. A build without a builder is submitted again with new access, which lasts an hour.
      WaitForBuilder: { Type: 'Wait', SecondsPath: '$.failure.pause', Next: 'Again' },
      // Nothing of the earlier build is left in the state.
      Again: {
        Type: 'Pass',
        Parameters: Object.fromEntries(INPUT.map((name) => [`${name}.$`, `$.${name}`])),
        Next: 'Begin',
      },
      // Earlier versions of the step know no turns.
      ...judgedStep('Release', steps.releaseDeployment, 'Check', [
        {
          And: [
            { Variable: '$.step.waiting', IsPresent: true },
            { Variable: '$.step.waiting', BooleanEquals: true },
          ],
          Next: 'WaitToRelease',
        },
      ]),
      // Lambda takes so many changes a second of an account: the release has its turn at another time.
      WaitToRelease: { Type: 'Wait', SecondsPath: '$.step.pause', Next: 'Release' },
      ...judgedStep('Check', steps.checkRelease, 'Switch'),
      ...repeated('Switch', judgedStep('Switch', steps.switchRelease, 'Succeed')),
      ...repeated('Succeed', { Succeed: step(steps.succeedDeployment, 'Prune') }),
      // The deployment has ended, so errors are ignored: the next deployment's step prunes what is left.
      Prune: {
        Type: 'Task',
        Resource: steps.pruneReleases,
        ResultPath: null,
        Retry: [retryLambda, retryThrottling],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
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
        Choices: [{ Variable: '$.failure.again', BooleanEquals: true, Next: 'WaitForBuilder' }],
        Default: 'Prune',
      },
    },
  };
}

/**
 * Removes an application's resources: its function, routes and files. The step is idempotent and runs twice, because a
 * stopped build may still store files after the first run, and a step that made a release may have died before it took it down. Input:
 * accountId, applicationId, cellIds, and the deploymentId if a deployment was running.
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
