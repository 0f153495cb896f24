import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { explainWildcards, policyOf, type Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { databaseMachine } from '../state-machines/databases.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Databases of applications: the state machine that creates, changes and deletes them, and the access of their owners. */
export class DatabasesStack extends PlatformStack {
  /** Starts the work on a database's cluster. */
  readonly work: Use;
  /** Counts the clusters of the account. */
  readonly count: Use;
  /** Reads the usage of clusters. */
  readonly measure: Use;

  constructor(platform: Platform, table: TableStack) {
    super(platform, 'databases', 'Databases of applications: their state machine, and the access of their owners');
    const { names } = platform;
    this.addStackDependency(table);

    const clusters = databaseUses(platform);
    const advance = new PlatformFunction(this, platform, 'workflow/advanceDatabase', {
      description: 'Creates, changes or deletes a database; a step of a state machine: advanceDatabase',
      timeout: TIMEOUTS_S.database.function,
      uses: [table.read, table.write, clusters.create, clusters.remove, clusters.restrict],
    });
    new Machine(this, platform, 'database', {
      definition: databaseMachine({ advanceDatabase: advance.live.functionArn }),
      functions: [advance],
    });
    const accessRole = new Role(this, 'DatabaseAccessRole', {
      roleName: names.databaseAccessRole.name,
      description: 'Signs the passwords of databases: each session is limited to one cluster',
      // Roles of this account may assume it if their own policy allows that.
      assumedBy: new AccountRootPrincipal(),
      inlinePolicies: { needs: policyOf([clusters.connectOwner]) },
    });
    explainWildcards(accessRole, [clusters.connectOwner]);
    this.count = clusters.count;
    this.measure = clusters.measure;
    this.work = {
      variables: { DATABASE_STATE_MACHINE_ARN: names.database.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.database.arn] }],
    };
  }
}
