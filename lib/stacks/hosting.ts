import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { hostingMachine } from '../hosting-machine.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Seconds: a hosting server takes its time to make an account. */
const SETTLE_SECONDS = 240;

/** Web and email hosting: what makes accounts on hosting servers agree with their subscriptions. */
export class HostingStack extends PlatformStack {
  /** Having an account seen to. */
  readonly settle: Use;

  constructor(platform: Platform, table: TableStack, apps: AppHostingStack) {
    super(platform, 'hosting', 'Web and email hosting: accounts on hosting servers');
    const { names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(apps);

    const settle = new PlatformFunction(this, platform, 'workflow/settleHosting', {
      description: 'Makes an account on a hosting server agree with its subscription',
      timeout: SETTLE_SECONDS,
      uses: [table.read, table.write, apps.openServerTokens],
    });
    new Machine(this, platform, 'hosting', {
      definition: hostingMachine({ settleHosting: settle.lambda.functionArn }),
      functions: [settle.lambda.functionArn],
    });
    new PlatformFunction(this, platform, 'operator/setHostingServer', {
      description: 'Adds or changes a server for web and email hosting; called by hand',
      uses: [table.read, table.write, apps.sealServerTokens],
    });
    new PlatformFunction(this, platform, 'operator/moveHosting', {
      description: 'Says on which hosting server an account is; called by hand',
      uses: [table.read, table.write],
    });

    this.settle = {
      variables: { HOSTING_STATE_MACHINE_ARN: names.hosting.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.hosting.arn] }],
    };
  }
}
