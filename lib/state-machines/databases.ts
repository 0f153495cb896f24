import { pollMachine } from './polling.ts';

/** Seconds between two checks of a cluster in creation, which takes about a minute. */
const POLL_SECONDS = 5;

/** Advances a database until there is nothing left to do. Input: applicationId, prefix. */
export const databaseMachine = ({ advanceDatabase }: { advanceDatabase: string }) =>
  pollMachine({
    comment: 'Creates, changes or deletes a database of an application',
    functionArn: advanceDatabase,
    retry: { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 5, BackoffRate: 2 },
    wait: { Seconds: POLL_SECONDS },
    timeoutSeconds: 3600,
  });
