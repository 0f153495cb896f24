import { expect } from 'vitest';
import { secretMatcher } from '../../runtime/aws/secret-values.ts';
import { edgeTenantSimulation, HOST } from '../simulation/custom-domains.ts';
import { simulation } from '../simulation/simulation.ts';
import { dimensionsOf } from '../support/alarm-states.ts';
import { edgeFunctionCode, runEdgeFunction } from '../support/edge-functions.ts';
import { measured, type Scene, type Walk } from '../support/walks.ts';
import { synthesize } from '../template/synthesized.ts';

const NAME = 'hosting-prod-route-app-af-south-1';

/** A request a minute to an application, through the edge's function, which a deployment breaks. */
async function brokenEdgeFunction(): Promise<Scene> {
  const { clock } = simulation();
  const { template } = synthesize({ stage: 'prod' });
  const of = dimensionsOf(template, 'hosting-prod-af-south-1-edge-functions', 'FunctionExecutionErrors').find(
    ({ FunctionName }) => FunctionName === NAME,
  );
  const good = edgeFunctionCode(template, NAME);
  let code = good;
  const event = {
    context: { requestId: 'edge-1' },
    request: { method: 'GET', uri: '/', headers: { host: { value: 'shop.apps' } } },
  };
  const fails = () =>
    runEdgeFunction(code, event, { 'shop.apps': 'abc.lambda-url.on.aws' }).then(
      () => 0,
      () => 1,
    );
  return {
    clock,
    minute: async () => [measured(clock, ['AWS/CloudFront', 'FunctionExecutionErrors'], await fails(), of)],
    breakIt: () => {
      code = good.replace('cf.kvs(', 'cf.store(');
      expect(code).not.toBe(good);
    },
    steps: [
      {
        words: 'Undo the last deployment of the stack hosting-<stage>-edge',
        act: () => {
          code = good;
        },
      },
    ],
  };
}

/** Another AWS account has a distribution for a customer's domain. */
async function takenDomain(): Promise<Scene> {
  const { deps, clock, edge, check, checkUntil, read } = await edgeTenantSimulation();
  edge.taken = true;
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: check,
    whileBroken: async () => expect(await read()).toMatchObject({ status: 'FAILED' }),
    steps: [
      {
        command: 'aws cloudfront list-domain-conflicts',
        fill: { '<domain>': HOST, '…': 'DistributionTenantId=dt_1' },
        run: ({ options }) => expect(options.domain).toBe(HOST),
      },
      {
        words: 'AWS support moves a domain whose owner proves ownership by a TXT record',
        act: async () => {
          edge.taken = false;
          await checkUntil((tenant) => tenant?.status === 'ISSUED');
        },
      },
    ],
    whenOver: async () => expect(await read()).toMatchObject({ status: 'ISSUED' }),
  };
}

/** A tenant is deleted in the console. */
async function deletedTenant(): Promise<Scene> {
  const { deps, clock, edge, checkUntil } = await edgeTenantSimulation();
  await checkUntil((tenant) => tenant?.status === 'ISSUED');
  return {
    clock,
    deps,
    minute: () => undefined,
    breakIt: () => void edge.tenants.splice(0),
    steps: [
      {
        words: 'A tenant was deleted manually: the next check (within a day, or Check now) creates it again',
        act: () => checkUntil(() => edge.tenants.some(({ host }) => host === HOST)),
      },
    ],
    whenOver: () => expect(edge.tenants).toMatchObject([{ host: HOST, enabled: true }]),
  };
}

/** The origin secret is known to a stranger. */
async function leakedOriginSecret(): Promise<Scene> {
  const { clock } = simulation();
  const versions = { AWSCURRENT: 'leaked', AWSPREVIOUS: '' };
  const put = (value: string) => Object.assign(versions, { AWSPREVIOUS: versions.AWSCURRENT, AWSCURRENT: value });
  const matches = secretMatcher(
    'origin',
    (left, right) => left === right,
    async (_, stage) => versions[stage] || undefined,
    () => new Date(clock.now),
  );
  let atEdge = 'leaked';
  const request = async () => expect(await matches(atEdge)).toBe(true);
  const rotate = (value: string) => [
    {
      command: 'aws secretsmanager put-secret-value --region <region> --secret-id hosting-<stage>-origin',
      run: async () => {
        put(value);
        await request();
      },
    },
    {
      words: 'Deploy the edge with your settings and that id',
      act: async () => {
        atEdge = value;
        await request();
      },
    },
  ];
  return {
    clock,
    minute: request,
    breakIt: () => undefined,
    steps: [
      ...rotate('second'),
      {
        words: 'a day later do both steps once more',
        act: () => {
          clock.now += 86_400_000;
        },
      },
      ...rotate('third'),
    ],
    async whenOver() {
      clock.now += 300_000;
      await request();
      expect(await matches('leaked')).toBe(false);
    },
  };
}

export const edgeWalks: Walk[] = [
  {
    page: 'Edge',
    fault: 'a function of the edge throws',
    alarms: ['af-south-1-edge-functions'],
    open: brokenEdgeFunction,
  },
  { page: 'Custom domains', fault: 'a domain is taken elsewhere', alarms: [], open: takenDomain },
  { page: 'Custom domains', fault: 'a tenant was deleted manually', alarms: [], open: deletedTenant },
  { page: 'Origin secret', fault: 'the secret is known', alarms: [], open: leakedOriginSecret },
];
