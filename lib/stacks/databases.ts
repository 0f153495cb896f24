import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { databaseMachine } from '../state-machines/databases.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Databases of applications: the state machine that creates them. */
export class DatabasesStack extends PlatformStack {
  /** Starts the creation of a database. */
  readonly provision: Use;

  constructor(platform: Platform, table: TableStack) {
    super(platform, 'databases', 'Databases of applications: the state machine that creates them');
    const { names } = platform;
    this.addStackDependency(table);

    const clusters = databaseUses(platform);
    const make = new PlatformFunction(this, platform, 'workflow/makeDatabase', {
      description: 'Creates a database and waits for it; a step of a state machine: makeDatabase',
      timeout: TIMEOUTS_S.database.function,
      uses: [table.read, table.write, clusters.make, clusters.remove],
    });
    new Machine(this, platform, 'database', {
      definition: databaseMachine({ makeDatabase: make.lambda.functionArn }),
      functions: [make.lambda.functionArn],
    });
    this.provision = {
      variables: { DATABASE_STATE_MACHINE_ARN: names.database.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.database.arn] }],
    };
  }
}
