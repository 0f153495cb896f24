/**
 * Pages and alarms that no walk here shows, because AWS alone has the service or the metric, or because the walk needs a whole run, and
 * the tests that show what can be shown.
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
    page: 'A lost second factor',
    tests: [
      [
        'scripts/operate/second-factor.test.ts',
        'a factor that is set up is replaced on request only, with a code of it',
      ],
    ],
    notWalked: 'turning a lost factor off: the login of the local run has no second factors',
  },
  {
    page: 'Edge',
    alarms: ['af-south-1-edge-5xx'],
    tests: [
      [
        'test/template/edge.test.ts',
        'to a custom domain whose application is gone is a 404, and an error of the store is none',
      ],
    ],
    notWalked: 'an origin that is not reached: only CloudFront measures the share of its own 5xx responses',
  },
  {
    page: 'Restore',
    tests: [
      [
        'domain/processes/restore/restore.test.ts',
        'after a restore, the ledgers match their balances, and the state outside follows the table',
      ],
      ['domain/processes/restore/restore.test.ts', 'reports a ledger that does not match its balance'],
      [
        'domain/processes/restore/logins.test.ts',
        'after the loss of the user pool, every login gets a user with the same accounts and roles',
      ],
      [
        'domain/processes/restore/releases.test.ts',
        'restores the live release of a deleted application from its artifact',
      ],
      // The drill: the commands of the page, on a whole run.
      [
        'test/flow/restart.test.ts',
        'a run killed at any moment loses no acknowledged write or event and leaves no deployment stuck, and its table is restored',
      ],
    ],
    notWalked: 'AWS’s own copy of the table, the deployment that switches to it, and a new user pool',
  },
  {
    page: 'Loss of a region',
    tests: [
      [
        'domain/processes/restore/restore.test.ts',
        'after a restore, the ledgers match their balances, and the state outside follows the table',
      ],
    ],
    notWalked: 'a region cannot be lost locally: what is walked is the repair after its data is back',
  },
];
