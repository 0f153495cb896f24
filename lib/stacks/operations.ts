import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { alarmTopic } from '../constructs/alarm-topic.ts';
import { createAlarm } from '../constructs/alarms.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { dashboard } from '../constructs/operations-dashboard.ts';
import type { ApiStack } from './api.ts';
import {
  alarmsFor,
  alarmsForAi,
  alarmsForApi,
  alarmsForConcurrency,
  alarmsForDeployments,
  alarmsForDueQueues,
  alarmsForTable,
} from './operations-alarms.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import { alarmsForHosting, alarmsForPayments } from './product-alarms.ts';
import type { TableStack } from './table.ts';

/** Tools of the operators: alarms, a dashboard, and functions that operators call. */
export class OperationsStack extends PlatformStack {
  constructor(platform: Platform, table: TableStack, api: ApiStack) {
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

    new PlatformFunction(this, platform, 'operator/releaseQuarantined', {
      description: 'Returns quarantined items to their due queues; called by hand',
      uses: [table.read, table.due, table.write],
    });

    const action = new SnsAction(alarmTopic(this, platform, `${config.prefix}-alarms`));

    // Alarms are derived from the constructs of all stacks, so that a new construct needs no registration.
    const alarms = [
      ...app.node.findAll().flatMap(alarmsFor),
      ...alarmsForApi(api),
      ...alarmsForTable(platform),
      ...alarmsForConcurrency(platform),
      ...alarmsForDeployments(platform),
      ...alarmsForAi(platform),
      ...alarmsForHosting(platform),
      ...alarmsForPayments(platform),
      ...alarmsForDueQueues(platform),
    ];
    for (const alarm of alarms) createAlarm(this, config.prefix, alarm, action);
    dashboard(this, platform, api.api.apiId);
  }
}
