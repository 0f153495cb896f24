import {
  AddPermissionCommand,
  CreateFunctionCommand,
  CreateFunctionUrlConfigCommand,
  DeleteFunctionCommand,
  DeleteFunctionUrlConfigCommand,
  GetLayerVersionByArnCommand,
  InvokeWithResponseStreamCommand,
  LambdaClient,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { createZip } from '../../providers/archives/zip.ts';
import { isAwsError } from '../../providers/aws-errors.ts';
import { type Check, check } from './check.ts';
import type { Clients } from './clients.ts';
import type { Plan } from './plan.ts';
import { deleteIfPresent, onceRoleIsKnown, withRole } from './probes.ts';

/** Checks that the layer that runs applications exists for the processors of their functions. */
export function checkLayer({ config: { region }, names }: Pick<Plan, 'config' | 'names'>): Check {
  const remedy = [
    'Take the newest version of https://github.com/awslabs/aws-lambda-web-adapter that the region has: -c adapterLayerVersion=',
  ];
  return check({
    what: `Lambda Web Adapter in ${region}`,
    needed: names.appAdapterLayer,
    region,
    find: (_) => new LambdaClient({ region }).send(new GetLayerVersionByArnCommand({ Arn: names.appAdapterLayer })),
    assess: ({ CompatibleArchitectures = ['arm64'], Version }) => ({
      ok: CompatibleArchitectures.includes('arm64'),
      found: `version ${Version} for ${CompatibleArchitectures.join(', ')}`,
      remedy,
    }),
    remedy,
  });
}

/**
 * Responds in two parts with a pause between them, so that a response that is not streamed arrives as one. The second part contains the
 * calls that the function's role permits.
 */
const HANDLER = `import { DSQLClient, ListClustersCommand } from '@aws-sdk/client-dsql';
import { KMSClient, ListAliasesCommand } from '@aws-sdk/client-kms';
const attempt = (call) => call.then(() => 'permitted', (error) => error.name);
export const handler = awslambda.streamifyResponse(async (event, stream) => {
  stream.write('first');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const kms = await attempt(new KMSClient({}).send(new ListAliasesCommand({})));
  const dsql = await attempt(new DSQLClient({ region: event.databaseRegion }).send(new ListClustersCommand({})));
  stream.end(JSON.stringify({ kms, dsql }));
});`;
/** Maximum invocations until a role's new policy has reached every service. */
const POLICY_ATTEMPTS = 10;
const MAX_WAIT_SECONDS = 120;

const PlannedFunction = z.object({
  Runtime: z.enum(['nodejs22.x', 'nodejs24.x']),
  Architectures: z.tuple([z.literal('arm64')]),
});

/** Invokes a function and returns the parts of its response. */
async function invoke(lambda: LambdaClient, FunctionName: string, event: object): Promise<string[]> {
  const Payload = Buffer.from(JSON.stringify(event));
  const { EventStream = [] } = await lambda.send(new InvokeWithResponseStreamCommand({ FunctionName, Payload }));
  const parts: string[] = [];
  for await (const { PayloadChunk, InvokeComplete } of EventStream) {
    if (InvokeComplete?.ErrorCode) throw new Error(`${InvokeComplete.ErrorCode}: ${InvokeComplete.ErrorDetails}`);
    if (PayloadChunk?.Payload) parts.push(Buffer.from(PayloadChunk.Payload).toString('utf8'));
  }
  return parts;
}

const Calls = z.object({ kms: z.string(), dsql: z.string() });

/**
 * Returns AWS's error if public access to a function URL is not allowed, because of the account's setting or a policy of its
 * organization. The throwaway function's URL accepts only signed requests in any case.
 */
async function publicAccessError(lambda: LambdaClient, FunctionName: string): Promise<Error | undefined> {
  const publicAccess = { Principal: '*', FunctionUrlAuthType: 'NONE' } as const;
  const permission = { FunctionName, StatementId: 'url', Action: 'lambda:InvokeFunctionUrl', ...publicAccess };
  try {
    await lambda.send(new AddPermissionCommand(permission));
    return undefined;
  } catch (error) {
    if (error instanceof Error && isAwsError(error, 'PublicPolicyException', 'AccessDeniedException')) return error;
    throw error;
  }
}

interface TrialResult {
  refusal: Error | undefined;
  /** Number of parts in which the response arrived. */
  parts: number;
  calls: z.output<typeof Calls>;
}

/** Creates a function with the platform's settings and a streaming function URL, and invokes it. */
async function tryFunction(clients: Clients, { config, account, resources }: Plan): Promise<TrialResult> {
  const { region, databaseRegion, prefix } = config;
  const lambda = new LambdaClient({ region });
  const FunctionName = `${prefix}-preflight`;
  const role = {
    name: `${FunctionName}-function`,
    service: 'lambda.amazonaws.com',
    // Like applications' role: only this function is permitted, by the condition key that Lambda adds to its requests.
    statements: [
      {
        Effect: 'Allow',
        Action: ['kms:ListAliases', 'dsql:ListClusters'],
        Resource: '*',
        Condition: {
          StringEquals: { 'lambda:SourceFunctionArn': `arn:aws:lambda:${region}:${account}:function:${FunctionName}` },
        },
      },
    ],
  };
  const { Runtime, Architectures } = PlannedFunction.parse(resources('AWS::Lambda::Function')[0]?.properties);
  const zip = createZip();
  zip.add('index.mjs', Buffer.from(HANDLER), 0o100644);
  const ZipFile = zip.end();
  const remove = async () => {
    await deleteIfPresent(() => lambda.send(new DeleteFunctionUrlConfigCommand({ FunctionName })));
    await deleteIfPresent(() => lambda.send(new DeleteFunctionCommand({ FunctionName })));
  };
  return await withRole(clients, role, async () => {
    await remove();
    try {
      await onceRoleIsKnown(clients, () =>
        lambda.send(
          new CreateFunctionCommand({
            FunctionName,
            Runtime,
            Architectures: [...Architectures],
            Handler: 'index.handler',
            Code: { ZipFile },
            Role: `arn:aws:iam::${account}:role/${role.name}`,
            Timeout: 30,
            MemorySize: 256,
            Description: 'Throwaway of npm run preflight, safe to delete',
          }),
        ),
      );
      await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 1 }, { FunctionName });
      const url = { FunctionName, AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' } as const;
      await lambda.send(new CreateFunctionUrlConfigCommand(url));
      const refusal = await publicAccessError(lambda, FunctionName);
      for (let attempt = 1; ; attempt += 1) {
        const parts = await invoke(lambda, FunctionName, { databaseRegion });
        const calls = Calls.parse(JSON.parse(parts.join('').replace(/^first/, '')));
        const isPermitted = Object.values(calls).every((result) => result === 'permitted');
        if (isPermitted || attempt >= POLICY_ATTEMPTS) return { refusal, parts: parts.length, calls };
        await clients.pause();
      }
    } finally {
      await remove();
    }
  });
}

/** Returns the check of the layer, and three checks that share one throwaway function. */
export function checkFunctions(plan: Plan): Check[] {
  const { region } = plan.config;
  let tried: Promise<TrialResult> | undefined;
  const find = (clients: Clients): Promise<TrialResult> => {
    tried ??= tryFunction(clients, plan);
    return tried;
  };
  const elsewhere = ['Choose a region that streams (docs/deploying.md, 2. Regions): -c region='];
  return [
    checkLayer(plan),
    // The AI gateway and all applications stream their responses.
    check({
      what: `Streamed responses of Lambda in ${region}`,
      needed: 'a throwaway function on arm64, with a function URL, streams its response',
      region,
      find,
      assess: ({ parts }) => ({
        ok: parts > 1,
        found: parts > 1 ? `streamed in ${parts} parts` : 'not streamed: it came in one part',
        remedy: elsewhere,
      }),
      remedy: elsewhere,
    }),
    // The edge cannot sign visitors' requests (docs/decisions/0001-edge-distributions.md).
    check({
      what: `Function URLs for everybody in ${region}`,
      needed: 'Lambda takes a permission of everybody to call a function URL',
      region,
      find,
      assess: ({ refusal }) => ({
        ok: !refusal,
        found: refusal ? `${refusal.name}: ${refusal.message}` : 'taken',
        remedy: [
          refusal?.name === 'AccessDeniedException'
            ? 'Allow the caller lambda:AddPermission for FunctionUrlAuthType NONE, in the policies of the organization too: https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html'
            : 'Have this account permit public access to Lambda functions: https://docs.aws.amazon.com/lambda/latest/dg/access-control-resource-based.html#access-control-block-public-access',
        ],
      }),
      remedy: elsewhere,
    }),
    // Applications share a role. This condition key separates their permissions (docs/decisions/0028-isolated-builds.md).
    check({
      what: 'Calls of functions are told apart (lambda:SourceFunctionArn)',
      needed: 'KMS and DSQL permit a call by the function that makes it',
      region,
      find,
      assess: ({ calls: { kms, dsql } }) => ({
        ok: kms === 'permitted' && dsql === 'permitted',
        found: `KMS: ${kms}, DSQL: ${dsql}`,
        remedy: ['Do not deploy: applications could not read their variables or databases. Ask AWS Support.'],
      }),
      remedy: elsewhere,
    }),
  ];
}
