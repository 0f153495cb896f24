/**
 * Reconciles an account on a hosting server with its subscription. The step records an unavailable server, and the
 * reconciler tries again; the retries here cover failures of the platform. Input: accountId, subscriptionId.
 */
export function hostingMachine({ reconcileHostingAccount }: { reconcileHostingAccount: string }) {
  return {
    Comment: 'Reconciles an account on a hosting server with its subscription',
    StartAt: 'Settle',
    TimeoutSeconds: 1800,
    States: {
      Settle: {
        Type: 'Task',
        Resource: reconcileHostingAccount,
        ResultPath: null,
        Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 3, BackoffRate: 3 }],
        End: true,
      },
    },
  };
}
