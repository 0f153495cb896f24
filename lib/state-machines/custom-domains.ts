/**
 * Looks at the door of a domain until nothing is under way with it: opening takes minutes, closing too. What only its owner can
 * go on with rests, and the reconciler looks at it now and then. Input: host, token.
 */
export function doorMachine({ lookAtDoor }: { lookAtDoor: string }) {
  return {
    Comment: 'Opens or closes the door of a domain at the edge',
    StartAt: 'Look',
    // An execution looks for half an hour at most (domain/door-state.ts); the rest is for what is tried again.
    TimeoutSeconds: 3600,
    States: {
      Look: {
        Type: 'Task',
        Resource: lookAtDoor,
        ResultPath: '$.look',
        // CloudFront takes few requests a second of an account.
        Retry: [
          {
            ErrorEquals: ['States.ALL'],
            IntervalSeconds: 5,
            MaxAttempts: 6,
            BackoffRate: 2,
            MaxDelaySeconds: 120,
          },
        ],
        Next: 'IsDone',
      },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.look.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Wait',
      },
      Wait: { Type: 'Wait', SecondsPath: '$.look.waitSeconds', Next: 'Look' },
      Done: { Type: 'Succeed' },
    },
  };
}
