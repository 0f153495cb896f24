/**
 * Two state machines as data, in Amazon States Language. The state holds only ids, the address of the build's job and,
 * after a failure, an error; all other data is on the items. JSONPath without `$$`, variables or task tokens: the local run's engine supports none of
 * these, and a test enforces it.
 */

/** CodeBuild ends a build after this time. The step waits one minute longer, and all other steps share 14 minutes. */
export const BUILD_MINUTES = 30;
const BUILD_SECONDS = (BUILD_MINUTES + 1) * 60;
const DEPLOYMENT_SECONDS = BUILD_SECONDS + 840;

/** Retries failures of Lambda itself. An error that a step throws is a result and is not retried. */
const retryLambda = {
  ErrorEquals: [
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.TooManyRequestsException',
  ],
  IntervalSeconds: 2,
  MaxAttempts: 5,
  BackoffRate: 2,
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
    Retry: [retryLambda],
    Catch: orFail,
    Next: next,
  };
}

/** ARNs of the functions behind the steps. */
export interface DeploymentSteps {
  beginDeployment: string;
  releaseDeployment: string;
  checkRelease: string;
  switchRelease: string;
  succeedDeployment: string;
  failDeployment: string;
  pruneReleases: string;
  buildProject: string;
}

/**
 * Queued → running → built → released → checked → switched → succeeded; or failed. A rollback has its release already
 * and skips the build. Input: accountId, applicationId, deploymentId, trigger.
 */
export function deploymentMachine(steps: DeploymentSteps) {
  return {
    Comment: 'Takes a deployment from its Git branch to a live release',
    StartAt: 'Begin',
    TimeoutSeconds: DEPLOYMENT_SECONDS,
    States: {
      // `build.jobUrl`: the address of the job, worthless once the build has taken and deleted it.
      Begin: { ...step(steps.beginDeployment, 'BuildOrNot'), ResultPath: '$.build' },
      BuildOrNot: {
        Type: 'Choice',
        Choices: [{ Variable: '$.trigger', StringEquals: 'ROLLBACK', Next: 'Check' }],
        Default: 'Build',
      },
      Build: {
        Type: 'Task',
        Resource: 'arn:aws:states:::codebuild:startBuild.sync',
        Parameters: {
          ProjectName: steps.buildProject,
          EnvironmentVariablesOverride: [
            { Name: 'DEPLOYMENT_ID', Type: 'PLAINTEXT', 'Value.$': '$.deploymentId' },
            { Name: 'JOB_URL', Type: 'PLAINTEXT', 'Value.$': '$.build.jobUrl' },
          ],
        },
        TimeoutSeconds: BUILD_SECONDS,
        ResultPath: null,
        Retry: [
          {
            ErrorEquals: ['CodeBuild.AccountLimitExceededException', 'CodeBuild.SdkClientException'],
            IntervalSeconds: 15,
            MaxAttempts: 5,
            BackoffRate: 1.5,
          },
        ],
        Catch: orFail,
        Next: 'Release',
      },
      Release: step(steps.releaseDeployment, 'Check'),
      Check: step(steps.checkRelease, 'Switch'),
      Switch: step(steps.switchRelease, 'Succeed'),
      Succeed: step(steps.succeedDeployment, 'Prune'),
      // The deployment has ended, so errors are ignored: the next deployment's step prunes what is left.
      Prune: {
        Type: 'Task',
        Resource: steps.pruneReleases,
        ResultPath: null,
        Retry: [retryLambda],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
      // Recording a deployment's failure counts as a successful execution. The execution fails only if the failure
      // cannot be recorded, which raises an alarm; the reconciler then ends the deployment.
      Fail: {
        Type: 'Task',
        Resource: steps.failDeployment,
        ResultPath: null,
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2 }],
        Next: 'Prune',
      },
    },
  };
}

/**
 * Removes an application's resources: its function, routes and files. The step is idempotent and runs twice, because a
 * stopped build may still store files after the first run. Input: accountId, applicationId, and the deploymentId if a
 * deployment was running.
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
    TimeoutSeconds: 3600,
    States: {
      Teardown: { ...teardown, Next: 'LastWords' },
      LastWords: { Type: 'Wait', Seconds: 60, Next: 'Sweep' },
      Sweep: { ...teardown, End: true },
    },
  };
}
