import { expect, test } from 'vitest';
import { EXTENDED, synthesize } from './synthesized.ts';

const [usual, changed] = [synthesize({ stage: 'prod' }), synthesize({ stage: 'prod', ...EXTENDED })];
const [onDemand, managed] = [usual.template, changed.template];

const functionsIn = (template: typeof managed) =>
  template
    .resources('AWS::Lambda::Function')
    .filter(({ properties }) => String(properties.FunctionName).includes('-ai-chatCompletions'))
    .map(({ properties }) => properties);

test('calls to models run on demand unless the setting says otherwise, with half a gigabyte at most', () => {
  expect(onDemand.resources('AWS::Lambda::CapacityProvider')).toEqual([]);
  expect(onDemand.resources('AWS::EC2::VPC')).toEqual([]);
  const functions = functionsIn(onDemand);
  expect(functions).toHaveLength(1);
  expect(functions[0]?.MemorySize).toBeLessThanOrEqual(512);
});

test('on managed instances the same code serves many calls in one environment, without reserved concurrency', () => {
  const [demand, instances] = functionsIn(managed);
  expect(instances).toMatchObject({ FunctionName: 'hosting-prod-ai-chatCompletions-managed', MemorySize: 2048 });
  expect(instances?.Code).toEqual(demand?.Code);
  expect(instances?.Environment).toEqual(demand?.Environment);
  expect(instances).not.toHaveProperty('ReservedConcurrentExecutions');
  expect(instances?.CapacityProviderConfig).toMatchObject({
    LambdaManagedInstancesCapacityProviderConfig: { PerExecutionEnvironmentMaxConcurrency: 500 },
  });
});

test('the setting can be taken back: the function that runs on demand stays, with its address', () => {
  const [kept, demand] = [managed, onDemand].map((template) => ({ ...functionsIn(template)[0], Code: undefined }));
  // What an account may have open follows from the setting.
  const Environment = { Variables: expect.not.objectContaining({ AI_CALLS_PER_ACCOUNT: expect.anything() }) };
  expect(kept).toEqual({ ...demand, Environment });
  expect(demand).toMatchObject({ Environment: { Variables: { AI_CALLS_PER_ACCOUNT: '25' } } });
});

test('the edge can be updated first where the setting is taken back: what it reads then is there already', () => {
  const edge = usual.stacks.find(({ stackName }) => stackName === 'hosting-prod-edge');
  const read = [...JSON.stringify(edge?.template).matchAll(/"StackName":"hosting-prod-ai",[^}]*"OutputName":"(\w+)"/g)];
  expect(new Set(read.map(([, name]) => name))).toEqual(new Set(['ChatHost']));
  const [before, after] = [changed, usual].map(
    ({ stacks }) => stacks.find(({ stackName }) => stackName === 'hosting-prod-ai')?.template.Outputs,
  );
  expect(before?.ChatHost?.Value).toBeDefined();
  expect(before?.ChatHost?.Value).toEqual(after?.ChatHost?.Value);
});

test('nothing reaches the instances, and they reach HTTPS only', () => {
  const [group] = managed.resources('AWS::EC2::SecurityGroup');
  expect(group?.properties).not.toHaveProperty('SecurityGroupIngress');
  expect(group?.properties.SecurityGroupEgress).toMatchObject([{ IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }]);
});
