import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { alarmTopics } from '../constructs/alarm-topic.ts';
import { createAlarm, createCombinedAlarm } from '../constructs/alarms.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { dashboard } from '../constructs/operations-dashboard.ts';
import type { Use } from '../constructs/rights.ts';
import type { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import {
  alarmsForAi,
  alarmsForChecks,
  alarmsForDatabases,
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

interface OperatorFunction {
  /** Purpose of the function, the first part of its description. */
  does: string;
  uses: Use[];
  /** Timeout in seconds. */
  timeout?: number;
}

/** The functions that operators call (functions/operator/), by name. */
function functionsOf({ read, write, scan, due }: TableStack): Record<string, OperatorFunction> {
  const timeout = TIMEOUTS_S.schedule.function;
  const changing = (does: string): OperatorFunction => ({ does, uses: [read, write] });
  return {
    createAccount: changing('Creates an account with its keys'),
    setAiOffer: changing('Changes the AI models on offer and the exchange rate of the dollar'),
    setPlans: changing('Changes the plans on sale and their prices'),
    adjustAccount: changing('Adjusts a balance or limits, issues or voids an invoice, grants a plan'),
    setSuspension: changing('Suspends an account or an application with a reason, or lifts it'),
    setCell: changing('Adds or changes a hosting cell'),
    setDomainPrices: changing('Changes the domain extensions on sale and their prices'),
    listAudit: changing('Lists the audit log of an account, or what operators did'),
    listQuarantined: {
      does: 'Lists items that were taken out of their due queues, with their errors',
      uses: [read, due],
    },
    listMigrations: { does: 'Shows how far the migrations of stored items are', uses: [read] },
    verifyLedgers: { does: 'Compares all balances with their ledgers', uses: [read, scan], timeout },
    repairAfterRestore: {
      does: 'Has everything outside of a restored table follow it again',
      uses: [read, scan, write],
      timeout,
    },
    releaseQuarantined: { does: 'Returns quarantined items to their due queues', uses: [read, due, write] },
  };
}

/** Tools of the operators: alarms, a dashboard, and functions that operators call. */
export class OperationsStack extends PlatformStack {
  constructor(platform: Platform, { table, api, ai }: { table: TableStack; api: ApiStack; ai: AiStack }) {
    super(platform, 'operations', 'Alarms, dashboard, and functions that operators call');
    const { app, config, names } = platform;

    for (const [name, { does, ...needs }] of Object.entries(functionsOf(table)))
      new PlatformFunction(this, platform, `operator/${name}`, {
        description: `${does}; called by operators`,
        ...needs,
      });

    // Failed backups are events. There is no metric for an alarm on them.
    const publishers = config.backupRegion ? [new ServicePrincipal('events.amazonaws.com')] : [];
    const { actions } = alarmTopics(this, platform, (kind) => names.alarmTopic(kind).name, ...publishers);

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
      ...alarmsForDatabases(platform),
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
