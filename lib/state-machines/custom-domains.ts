/**
 * Checks the edge tenant of a domain until no operation is in progress; creation and removal take minutes. Steps that
 * only the domain's owner can take end the execution, and the reconciler checks those domains periodically. Input:
 * host, token.
 */
export function edgeTenantMachine({ reconcileTenant }: { reconcileTenant: string }) {
  return {
    Comment: 'Creates or removes the edge tenant of a custom domain',
    StartAt: 'Look',
    // An execution checks for at most half an hour (domain/custom-domains/edge-tenant-state.ts); the rest is left for
    // retries.
    TimeoutSeconds: 3600,
    States: {
      Look: {
        Type: 'Task',
        Resource: reconcileTenant,
        ResultPath: '$.look',
        // CloudFront takes few requests per second and account.
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
