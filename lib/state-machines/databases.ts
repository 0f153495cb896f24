/** Seconds between two checks of a cluster in creation, which takes about a minute. */
const POLL_SECONDS = 5;

/** Advances a database until there is nothing left to do. Input: applicationId, prefix. */
export function databaseMachine({ advanceDatabase }: { advanceDatabase: string }) {
  return {
    Comment: 'Creates, changes or deletes a database of an application',
    StartAt: 'Look',
    TimeoutSeconds: 3600,
    States: {
      Look: {
        Type: 'Task',
        Resource: advanceDatabase,
        ResultPath: '$.look',
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 5, BackoffRate: 2 }],
        Next: 'IsDone',
      },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.look.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Wait',
      },
      Wait: { Type: 'Wait', Seconds: POLL_SECONDS, Next: 'Look' },
      Done: { Type: 'Succeed' },
    },
  };
}
