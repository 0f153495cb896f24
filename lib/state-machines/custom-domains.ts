import { pollMachine } from './polling.ts';

/**
 * Checks the edge tenant of a domain until no operation is in progress; creation and removal take minutes. If the domain's owner has to act,
 * the execution ends, and the reconciler checks the domain periodically. Input: host, token.
 */
export const edgeTenantMachine = ({ reconcileTenant }: { reconcileTenant: string }) =>
  pollMachine({
    comment: 'Creates or removes the edge tenant of a custom domain',
    functionArn: reconcileTenant,
    // CloudFront accepts few requests per second and account.
    retry: { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 6, BackoffRate: 2, MaxDelaySeconds: 120 },
    wait: { SecondsPath: '$.look.waitSeconds' },
    // An execution checks for at most half an hour (domain/custom-domains/edge-tenant-state.ts). The remaining time is for retries.
    timeoutSeconds: 3600,
  });
