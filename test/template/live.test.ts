import { expect, test } from 'vitest';
import * as z from 'zod';
import { releaseAlarms } from '../../lib/constructs/canary.ts';
import { Role, read, synthesize } from './synthesized.ts';

/** Functions go live through their aliases (docs/decisions/0057-releases-and-restore.md). */

const { template, stacks } = synthesize({ stage: 'prod' });
const resources = stacks.flatMap((stack) => Object.values(stack.template.Resources));

/** Everything that invokes a function, with the function's ARN or name. */
const triggers = [
  ...read(template, 'AWS::ApiGatewayV2::Integration', z.object({ IntegrationUri: z.string() })).map((each) => [
    each.name,
    each.IntegrationUri,
  ]),
  ...['AWS::Lambda::EventSourceMapping', 'AWS::Lambda::EventInvokeConfig', 'AWS::Lambda::Url'].flatMap((type) =>
    template.resources(type).map(({ name, properties }) => {
      const { TargetFunctionArn, FunctionName = TargetFunctionArn, Qualifier } = properties;
      return [name, Qualifier === undefined ? String(FunctionName) : `${FunctionName}:${Qualifier}`];
    }),
  ),
  ...read(template, 'AWS::Scheduler::Schedule', z.object({ Target: z.object({ Arn: z.string() }) })).map((each) => [
    each.name,
    each.Target.Arn,
  ]),
  ...template
    .resources('AWS::StepFunctions::StateMachine')
    .flatMap(({ name, properties }) =>
      [...String(properties.DefinitionString).matchAll(/arn:aws:lambda:[^"]+/g)].map(([arn]) => [name, arn]),
    ),
] as [name: string, invoked: string][];

const aliases = read(
  template,
  'AWS::Lambda::Alias',
  z.object({ FunctionVersion: z.string(), Name: z.literal('live') }),
);

test('every trigger invokes the alias `live` of a function', () => {
  expect(triggers.length).toBeGreaterThan(120);
  const known = new Set(aliases.flatMap(({ arn, name }) => [arn, name]));
  expect(triggers.filter(([, invoked]) => !known.has(invoked))).toEqual([]);
});

test('every function except operator functions has an alias, and each alias points to a version of its function', () => {
  const functions = read(template, 'AWS::Lambda::Function', z.object({ FunctionName: z.string() }));
  const live = functions.filter(
    ({ FunctionName }) =>
      !FunctionName.startsWith('hosting-prod-operator-') || FunctionName.startsWith('hosting-prod-operator-api-'),
  );
  expect(aliases.map(({ name }) => name).sort()).toEqual(live.map(({ FunctionName }) => `${FunctionName}:live`).sort());
  expect(template.resources('AWS::Lambda::Version')).toHaveLength(aliases.length);
});

test('functions of requests and messages shift by a canary that existing alarms undo', () => {
  const Group = z.object({
    ApplicationName: z.string(),
    DeploymentGroupName: z.string(),
    DeploymentConfigName: z.literal('CodeDeployDefault.LambdaCanary10Percent5Minutes'),
    AlarmConfiguration: z.object({ Enabled: z.literal(true), Alarms: z.array(z.object({ Name: z.string() })) }),
    AutoRollbackConfiguration: z.object({ Enabled: z.literal(true), Events: z.array(z.string()) }),
  });
  const groups = read(template, 'AWS::CodeDeploy::DeploymentGroup', Group);
  const alarms = new Set(
    read(template, 'AWS::CloudWatch::Alarm', z.object({ AlarmName: z.string() })).map(({ AlarmName }) => AlarmName),
  );
  for (const { DeploymentGroupName, AlarmConfiguration, AutoRollbackConfiguration } of groups) {
    const names = AlarmConfiguration.Alarms.map(({ Name }) => Name);
    expect(names, DeploymentGroupName).toEqual(releaseAlarms({ prefix: 'hosting-prod' }));
    for (const name of names) expect(alarms, name).toContain(name);
    expect(AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
  }
  const byCanary = aliases.filter(({ name }) => /^hosting-prod-(api|dashboard|ai|stream|queue)-/.test(name));
  expect(groups.map(({ DeploymentGroupName }) => `${DeploymentGroupName}:live`).sort()).toEqual(
    byCanary.map(({ name }) => name).sort(),
  );
  // CloudFormation leaves the alias to CodeDeploy only where its update policy says so.
  const policies = resources.filter(
    ({ Type, UpdatePolicy }) => Type === 'AWS::Lambda::Alias' && UpdatePolicy !== undefined,
  );
  expect(policies).toHaveLength(groups.length);
});

test('the versions of a stack’s canaries are published one after the other, because each alias calls Lambda as soon as its version exists', () => {
  const Target = z.object({ FunctionVersion: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Version')]) }) });
  const after = ({ DependsOn }: { DependsOn?: string | string[] | undefined }) => [DependsOn ?? []].flat();
  for (const { stackName, template: stack } of stacks) {
    const versions = Object.values(stack.Resources)
      .filter(({ Type, UpdatePolicy }) => Type === 'AWS::Lambda::Alias' && UpdatePolicy !== undefined)
      .map(({ Properties }) => Target.parse(Properties).FunctionVersion['Fn::GetAtt'][0]);
    const waited = versions.flatMap((id) =>
      after(stack.Resources[id] ?? {}).filter((other) => versions.includes(other)),
    );
    // A line: all but one wait, each for another one.
    expect(new Set(waited).size, stackName).toBe(Math.max(0, versions.length - 1));
    expect(waited, stackName).toHaveLength(new Set(waited).size);
  }
});

test('the role of a canary reaches no function of customers, and the role of API Gateway what is live alone', () => {
  const roles = read(template, 'AWS::IAM::Role', Role);
  const onFunctions = (action: string) =>
    roles.flatMap(({ Policies }) =>
      Policies.filter(({ Action }) => Action.includes(action)).flatMap(({ Resource }) => Resource),
    );
  const moved = onFunctions('lambda:GetProvisionedConcurrencyConfig');
  expect(moved.length).toBeGreaterThan(0);
  for (const resource of moved) expect(resource).toMatch(/:function:hosting-prod-(api|dashboard|ai|stream|queue)-\*$/);
  const invoked = onFunctions('lambda:InvokeFunction').filter((resource) => /-\*(:|$)/.test(resource));
  expect([...new Set(invoked.filter((resource) => !resource.includes('-app-')))].sort()).toEqual(
    ['api', 'dashboard', 'operator-api'].map((group) =>
      expect.stringMatching(new RegExp(`:function:hosting-prod-${group}-\\*:live$`)),
    ),
  );
});

test('a stage without service levels has no canary, and one that asks for it is refused', () => {
  expect(synthesize({ stage: 'dev' }).template.resources('AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  expect(() => synthesize({ stage: 'prod', monitoring: 'basic', canary: 'on' })).toThrow(/canary.*monitoring=full/s);
}, 180_000);

test('a restored table is what functions use, may use and read the stream of, and the stacks keep their own and its export', () => {
  const table = 'hosting-prod-20261123100000';
  const tableStream = `arn:aws:dynamodb:af-south-1:123456789012:table/${table}/stream/2026-11-23T10:30:00.000`;
  const restored = synthesize({ stage: 'prod', table, tableStream });
  const Variables = z.object({ Environment: z.object({ Variables: z.object({ TABLE_NAME: z.string() }) }) });
  const used = read(restored.template, 'AWS::Lambda::Function', Variables).map(
    (each) => each.Environment.Variables.TABLE_NAME,
  );
  expect(new Set(used)).toEqual(new Set([table]));
  const sources = restored.template
    .resources('AWS::Lambda::EventSourceMapping')
    .map(({ properties }) => properties.EventSourceArn);
  expect(sources).toContain(tableStream);
  const named = read(restored.template, 'AWS::IAM::Role', Role)
    .flatMap(({ Policies }) => Policies.flatMap(({ Resource }) => Resource))
    .flatMap((resource) => /:table\/([^/]+)/.exec(resource)?.[1] ?? []);
  expect(new Set(named)).toEqual(new Set([table]));
  expect(restored.template.resources('AWS::DynamoDB::GlobalTable').map(({ name }) => name)).toEqual(['hosting-prod']);
  const exportsOf = ({ stacks: all }: Pick<typeof restored, 'stacks'>) =>
    all.find(({ stackName }) => stackName === 'hosting-prod-table')?.template.Outputs;
  expect(exportsOf(restored)).toBeDefined();
  expect(exportsOf(restored)).toEqual(exportsOf({ stacks }));
  expect(() => synthesize({ stage: 'prod', table })).toThrow(/table, tableStream/);
}, 180_000);
