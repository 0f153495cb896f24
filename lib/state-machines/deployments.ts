/**
 * The two state machines as data, in Amazon States Language. Only ids travel through the state (and an error, once there
 * is one): everything else is on the items. JSONPath only, and none of `$$`, variables or task tokens: the local run's
 * engine has none of them, and a test holds us to it.
 */

/** CodeBuild ends a build after this; the step waits a minute longer, and all other steps share a quarter of an hour. */
export const BUILD_MINUTES = 30;
const BUILD_SECONDS = (BUILD_MINUTES + 1) * 60;
const DEPLOYMENT_SECONDS = BUILD_SECONDS + 840;

/** Lambda itself was not well; the step is done again. What a step throws is a fact and is not retried. */
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

/** Whatever went wrong is handed to Fail, which records it; the old release keeps serving. */
const orFail = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Fail' }];

/** A function's own timeout (lib/stacks/deployments.ts) bounds its step. */
function step(functionArn: string, next: string) {
  return {
    Type: 'Task',
    Resource: functionArn,
    // The answer is dropped: only ids travel.
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
 * Queued → running → built → released → checked → switched → succeeded; or failed. A rollback has its release already. Input:
 * accountId, applicationId, deploymentId, trigger.
 */
export function deploymentMachine(steps: DeploymentSteps) {
  return {
    Comment: 'Takes a deployment from its Git branch to a live release',
    StartAt: 'Begin',
    TimeoutSeconds: DEPLOYMENT_SECONDS,
    States: {
      Begin: step(steps.beginDeployment, 'BuildOrNot'),
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
          EnvironmentVariablesOverride: [{ Name: 'DEPLOYMENT_ID', Type: 'PLAINTEXT', 'Value.$': '$.deploymentId' }],
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
      // Whatever becomes of it, the deployment has ended: what is left over goes with the next one's.
      Prune: {
        Type: 'Task',
        Resource: steps.pruneReleases,
        ResultPath: null,
        Retry: [retryLambda],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Done' }],
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
      // A deployment that failed is an execution that did its work. Only where even this cannot be recorded does the
      // execution fail, which is an alarm; the reconciler then ends the deployment.
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
 * Removes what an application had: its function, its routes, its files. Every step of it may be done twice, and is: a build
 * that was stopped may have had something to store still. Input: accountId, applicationId, deploymentId where one was under way.
 */
export function teardownMachine({ teardownApp }: { teardownApp: string }) {
  const teardown = {
    Type: 'Task',
    Resource: teardownApp,
    ResultPath: null,
    Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 7, BackoffRate: 2.5 }],
  };
  return {
    Comment: 'Removes everything a deleted application had',
    StartAt: 'Teardown',
    TimeoutSeconds: 3600,
    States: {
      Teardown: { ...teardown, Next: 'LastWords' },
      LastWords: { Type: 'Wait', Seconds: 60, Next: 'Sweep' },
      Sweep: { ...teardown, End: true },
    },
  };
}
