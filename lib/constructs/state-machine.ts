import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Names } from '../names.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import type { PlatformFunction } from './function.ts';
import { LOG_RETENTION } from './logs.ts';
import { explainWildcards, policyOf, type Right } from './rights.ts';

interface MachineNeeds {
  /** Definition in Amazon States Language (lib/state-machines/). */
  definition: object;
  /** The functions that the state machine may invoke. */
  functions: PlatformFunction[];
  /** Additional permissions of its steps. */
  rights?: Right[];
}

/** The names of state machines. */
type MachineName = { [Name in keyof Names]: Names[Name] extends { executions: string } ? Name : never }[keyof Names];

/** A standard state machine with tracing, logs that leave out execution data, and a role limited to its steps. */
export class Machine extends Construct {
  readonly machineName: string;
  readonly stateMachineArn: string;

  constructor(scope: Construct, { names }: Platform, name: MachineName, needs: MachineNeeds) {
    super(scope, `${name.charAt(0).toUpperCase()}${name.slice(1)}Machine`);
    const machine = names[name];
    this.machineName = machine.name;
    this.stateMachineArn = machine.arn;
    const rights = [
      { actions: ['lambda:InvokeFunction'], on: needs.functions.map(({ live }) => live.functionArn) },
      ...(needs.rights ?? []),
      ...OBSERVABILITY,
    ];
    const role = new Role(this, 'Role', {
      description: `Runs the steps of the state machine ${name}`,
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
      inlinePolicies: { steps: policyOf(rights) },
    });
    explainWildcards(role, rights);
    new StateMachine(this, 'Machine', {
      stateMachineName: machine.name,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(needs.definition)),
      role: role.withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: {
        // With this prefix, the account's resource policy for log deliveries stays below its maximum size.
        destination: new LogGroup(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/${machine.name}`,
          retention: LOG_RETENTION,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
        includeExecutionData: false,
      },
    });
  }
}

const OBSERVABILITY: Right[] = [
  {
    actions: [
      'logs:CreateLogDelivery',
      'logs:GetLogDelivery',
      'logs:UpdateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:DescribeResourcePolicies',
      'logs:DescribeLogGroups',
    ],
    on: ['*'],
    wildcard: 'log deliveries belong to the account: these actions have no resource-level permissions',
  },
  {
    actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords', 'xray:GetSamplingRules', 'xray:GetSamplingTargets'],
    on: ['*'],
    wildcard: 'X-Ray has no resource-level permissions',
  },
];
