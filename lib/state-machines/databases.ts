/** Seconds between two looks at a cluster that is being made; that takes about a minute. */
const LOOK_EVERY = 5;

/** Looks at a database until its making has an end, good or bad. Input: applicationId, prefix. */
export function databaseMachine({ makeDatabase }: { makeDatabase: string }) {
  return {
    Comment: 'Has a database made for an application',
    StartAt: 'Look',
    TimeoutSeconds: 3600,
    States: {
      Look: {
        Type: 'Task',
        Resource: makeDatabase,
        ResultPath: '$.look',
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 5, BackoffRate: 2 }],
        Next: 'IsDone',
      },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.look.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Wait',
      },
      Wait: { Type: 'Wait', Seconds: LOOK_EVERY, Next: 'Look' },
      Done: { Type: 'Succeed' },
    },
  };
}
