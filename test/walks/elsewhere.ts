/**
 * Pages and alarms whose fault, remedy and end other tests show, and the part that no local walk shows: the emulators have no such
 * service, or the metric belongs to AWS alone.
 */

interface Elsewhere {
  page: string;
  alarms?: readonly string[];
  /** File and title of the tests that show the fault and its end. */
  tests: readonly [file: string, title: string][];
  /** The part of the page that is not walked, and the reason. */
  notWalked: string;
}

export const ELSEWHERE: Elsewhere[] = [
  {
    page: 'Service levels',
    alarms: ['budget-of-requests'],
    tests: [['test/template/alarms.test.ts', '0.7% of errors page after six hours, and 0.2% are a ticket']],
    notWalked: 'the fault, which is that of the page API 5xx, for three days',
  },
  {
    page: 'API 5xx',
    alarms: ['api'],
    tests: [
      ['test/flow/outages.test.ts', '%s may fail for a while: acknowledged writes still arrive'],
      [
        'test/template/alarms.test.ts',
        '2% of errors for an hour page; the page ends within half an hour of the repair',
      ],
    ],
    notWalked: 'queries of access logs: the local run has no Logs Insights over the API’s access log',
  },
  {
    page: 'Table throttles',
    alarms: ['table-throttles'],
    tests: [
      [
        'test/api/accounts/authentication.test.ts',
        'of 130 concurrent requests with one key 120 succeed, and the others are told when to retry',
      ],
    ],
    notWalked: 'the alarm: DynamoDB Local throttles nothing; Contributor Insights is a service of AWS alone',
  },
  {
    page: 'Backup failed',
    tests: [
      [
        'test/template/stages.test.ts',
        'a backup region keeps a daily copy of the table, and failures reach the operators',
      ],
    ],
    notWalked: 'the backup, its failure and the copy: the local run has no AWS Backup',
  },
  {
    page: 'State machine failures',
    alarms: ['executions'],
    tests: [
      [
        'domain/deployments/executions.test.ts',
        'fails a deployment whose execution crashed within two minutes, and the next one works',
      ],
      [
        'domain/custom-domains/edge-tenant.test.ts',
        'the reconciler restarts a tenant whose execution died, once for each due time',
      ],
    ],
    notWalked: 'the console of Step Functions',
  },
  {
    page: 'Moving applications',
    tests: [
      [
        'domain/moves/move.test.ts',
        'a process that dies at any call leaves a move that the next one finishes, and a served application at every moment',
      ],
      ['domain/moves/move.test.ts', 'an application whose release %s stays where it was'],
      [
        'test/release/cells.test.ts',
        'an application is moved to another cell and back under constant requests, and none of them fails',
      ],
    ],
    notWalked: 'a cell in another AWS account',
  },
  {
    page: 'Edge',
    alarms: ['af-south-1-edge-5xx', 'af-south-1-edge-functions'],
    tests: [
      [
        'test/template/edge.test.ts',
        'to a custom domain whose application is gone is a 404, and an error of the store is none',
      ],
    ],
    notWalked: 'CloudFront’s metrics: the local gateway runs its functions and measures nothing',
  },
  {
    page: 'Custom domains',
    tests: [
      [
        'domain/custom-domains/edge-tenant.test.ts',
        'reports a domain that another CloudFront account holds, and retries when it is free',
      ],
      [
        'domain/custom-domains/edge-tenant.test.ts',
        'a tenant that is deleted in the middle of any check leaves nothing',
      ],
    ],
    notWalked: 'cases for AWS support, and quotas',
  },
  {
    page: 'Origin secret',
    tests: [
      [
        'runtime/aws/secret-values.test.ts',
        'a rotation refuses no request: neither of the old edge nor of the new one, whenever an instance read the secret',
      ],
      [
        'runtime/aws/secret-values.test.ts',
        'a secret that was replaced twice is no longer accepted after five minutes',
      ],
    ],
    notWalked: 'the deployment of the edge',
  },
  {
    page: 'A leaked key',
    tests: [
      [
        'test/api/operator/acts.test.ts',
        'a suspension of an account, an application or a key is seen within 15 s, with its reason, and so is its end',
      ],
      [
        'runtime/aws/secret-values.test.ts',
        'a refused key is read again at once, and the refusal stands if it has not changed',
      ],
      [
        'runtime/aws/secret-values.test.ts',
        'a secret that was replaced twice is no longer accepted after five minutes',
      ],
    ],
    notWalked: 'the sign-out of an operator in Cognito, which the local login does not have',
  },
  {
    page: 'A bad release of ours',
    tests: [
      ['test/template/live.test.ts', 'functions of requests and messages shift by a canary that existing alarms undo'],
    ],
    notWalked: 'CodeDeploy, and a deployment of stacks',
  },
  {
    page: 'Restore',
    tests: [
      [
        'domain/processes/restore/restore.test.ts',
        'after a restore the ledgers add up, and what lives outside follows the restored table',
      ],
      ['domain/processes/restore/restore.test.ts', 'a ledger that does not add up is named'],
      [
        'domain/processes/restore/logins.test.ts',
        'after the loss of the user pool every login has its user again, under the same accounts and roles',
      ],
      [
        'domain/processes/restore/releases.test.ts',
        'an application that was deleted since gets its live release again, from what it had packaged',
      ],
      // The drill: the commands of the page, on a whole run.
      [
        'test/flow/restart.test.ts',
        'a run killed at any moment loses no acknowledged write and leaves no deployment stuck, and its table is restored',
      ],
    ],
    notWalked: 'AWS’s own copy of the table, the deployment that switches to it, and a new user pool',
  },
  {
    page: 'Loss of a region',
    tests: [
      [
        'domain/processes/restore/restore.test.ts',
        'after a restore the ledgers add up, and what lives outside follows the restored table',
      ],
    ],
    notWalked: 'a region cannot be lost locally: what is walked is the repair after its data is back',
  },
  {
    page: 'Flags',
    alarms: ['flags-expired'],
    tests: [['domain/switches/flags.test.ts', 'a flag is expired from the day of its end on']],
    notWalked: 'the removal of code',
  },
];
