import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { PlatformFunction } from '../constructs/function.ts';
import type { Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { hostingMachine } from '../state-machines/hosting.ts';
import type { AppHostingStack } from './app-hosting.ts';
import { DNS_LOOKUP } from './custom-domains.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Web and email hosting: the state machine that reconciles accounts on hosting servers with their subscriptions. */
export class HostingStack extends PlatformStack {
  /** Starts the reconciliation of a hosting account. */
  readonly reconcile: Use;

  constructor(platform: Platform, table: TableStack, appHosting: AppHostingStack) {
    super(platform, 'hosting', 'Web and email hosting: accounts on hosting servers');
    const { names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(appHosting);

    const reconcileHostingAccount = new PlatformFunction(this, platform, 'workflow/reconcileHostingAccount', {
      description: 'Reconciles an account on a hosting server with its subscription',
      timeout: TIMEOUTS_S.panel.function,
      uses: [table.read, table.write, appHosting.openServerTokens, DNS_LOOKUP],
    });
    new Machine(this, platform, 'hosting', {
      definition: hostingMachine({ reconcileHostingAccount: reconcileHostingAccount.live.functionArn }),
      functions: [reconcileHostingAccount],
    });
    new PlatformFunction(this, platform, 'operator/setHostingServer', {
      description: 'Adds or changes a server for web and email hosting; called by operators',
      uses: [table.read, table.write, appHosting.sealServerTokens],
    });
    new PlatformFunction(this, platform, 'operator/moveHosting', {
      description: 'Records the hosting server that an account is on; called by operators',
      uses: [table.read, table.write],
    });

    this.reconcile = {
      variables: { HOSTING_STATE_MACHINE_ARN: names.hosting.arn },
      rights: [{ actions: ['states:StartExecution'], on: [names.hosting.arn] }],
    };
  }
}
