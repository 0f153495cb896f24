import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { alarmTopics } from '../constructs/alarm-topic.ts';
import { createAlarm, createCombinedAlarm } from '../constructs/alarms.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { dashboard } from '../constructs/operations-dashboard.ts';
import type { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import {
  alarmsForAi,
  alarmsForChecks,
  alarmsForDeployments,
  alarmsForDueQueues,
  alarmsForFlags,
  alarmsForMigrations,
  alarmsForQuotas,
} from './measured-alarms.ts';
import { alarmsFor, alarmsForApi, alarmsForFailures, alarmsForMachines, alarmsForTable } from './operations-alarms.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import { alarmsForHosting, alarmsForPayments } from './product-alarms.ts';
import { alarmsForServiceLevels, sourcesOf } from './service-level-alarms.ts';
import type { TableStack } from './table.ts';

/** Tools of the operators: alarms, a dashboard, and functions that operators call. */
export class OperationsStack extends PlatformStack {
  /** Receives what waits for a working day. */
  readonly tickets: Topic;

  constructor(platform: Platform, { table, api, ai }: { table: TableStack; api: ApiStack; ai: AiStack }) {
    super(platform, 'operations', 'Alarms, dashboard, and functions that operators call');
    const { app, config } = platform;

    new PlatformFunction(this, platform, 'operator/createAccount', {
      description: 'Creates an account with its keys; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setAiOffer', {
      description: 'Changes the AI models on offer and the exchange rate of the dollar; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setPlans', {
      description: 'Changes the plans on sale and their prices; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/adjustAccount', {
      description: 'Adjusts a balance, issues or voids an invoice, grants a plan; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setSuspension', {
      description: 'Suspends an account or an application with a reason, or lifts it; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setCell', {
      description: 'Adds or changes a hosting cell; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setDomainPrices', {
      description: 'Changes the domain extensions on sale and their prices; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/listAudit', {
      description: 'Lists the audit log of an account, or what operators did; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/listQuarantined', {
      description: 'Lists items that were taken out of their due queues, with their errors; called by hand',
      uses: [table.read, table.due],
    });

    new PlatformFunction(this, platform, 'operator/listMigrations', {
      description: 'Shows how far the migrations of stored items are; called by hand',
      uses: [table.read],
    });

    new PlatformFunction(this, platform, 'operator/verifyLedgers', {
      description: 'Compares all balances with their ledgers; called by hand',
      uses: [table.read, table.scan],
      timeout: TIMEOUTS_S.schedule.function,
    });

    new PlatformFunction(this, platform, 'operator/repairAfterRestore', {
      description: 'Has everything outside of a restored table follow it again; called by hand',
      uses: [table.read, table.scan, table.write],
      timeout: TIMEOUTS_S.schedule.function,
    });

    new PlatformFunction(this, platform, 'operator/releaseQuarantined', {
      description: 'Returns quarantined items to their due queues; called by hand',
      uses: [table.read, table.due, table.write],
    });

    // Failed backups are events, which have no metric to set an alarm on.
    const publishers = config.backupRegion ? [new ServicePrincipal('events.amazonaws.com')] : [];
    const { actions, topics } = alarmTopics(this, platform, (kind) => `${config.prefix}-${kind}`, ...publishers);
    this.tickets = topics.ticket;

    // Alarms are derived from the constructs of all stacks, so that a new construct needs no registration.
    const constructs = app.node.findAll();
    const alarms = [
      ...constructs.flatMap(alarmsFor),
      ...alarmsForFailures(constructs),
      ...alarmsForMachines(constructs),
      ...alarmsForTable(platform),
      ...alarmsForQuotas(platform),
      ...alarmsForDeployments(platform),
      ...alarmsForAi(platform),
      ...alarmsForHosting(platform),
      ...alarmsForPayments(platform),
      ...alarmsForDueQueues(platform),
      ...(config.monitoring === 'full'
        ? [...alarmsForChecks(platform), ...alarmsForFlags(platform), ...alarmsForMigrations(platform)]
        : alarmsForApi(api)),
    ];
    for (const alarm of alarms) createAlarm(this, config.prefix, alarm, actions);
    const sources = sourcesOf(platform, api, ai);
    if (config.monitoring === 'full') {
      for (const alarm of alarmsForServiceLevels(sources)) createCombinedAlarm(this, config.prefix, alarm, actions);
      dashboard(this, platform, { apiId: api.api.apiId, sources });
    }
  }
}
