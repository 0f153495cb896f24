/**
 * Makes an account on a hosting server agree with its subscription. A server that is away is written down by the step and
 * tried again by the reconciler; what is retried here is the platform's own. Input: accountId, subscriptionId.
 */
export function hostingMachine({ settleHosting }: { settleHosting: string }) {
  return {
    Comment: 'Makes an account on a hosting server agree with its subscription',
    StartAt: 'Settle',
    TimeoutSeconds: 1800,
    States: {
      Settle: {
        Type: 'Task',
        Resource: settleHosting,
        ResultPath: null,
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 3, BackoffRate: 3 }],
        End: true,
      },
    },
  };
}
