import {
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
import { createZip } from '../../builder/package/zip.ts';
import { type Check, check } from './check.ts';
import type { Clients } from './clients.ts';
import type { Plan } from './plan.ts';
import { deleteIfPresent, onceRoleIsKnown, withRole } from './probes.ts';

/** Checks that the layer that runs applications exists, for the processors of their functions. */
function checkLayer({ config: { region }, names }: Plan): Check {
  const remedy = [
    'Take the newest version of https://github.com/awslabs/aws-lambda-web-adapter that the region has: -c adapterLayerVersion=',
  ];
  return check({
    what: 'Lambda Web Adapter',
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

/** Two parts, far enough apart that a response which is not streamed comes as one. */
const HANDLER = `export const handler = awslambda.streamifyResponse(async (event, stream) => {
  stream.write('first');
  await new Promise((resolve) => setTimeout(resolve, 500));
  stream.end('last');
});`;
const MAX_WAIT_SECONDS = 120;

const PlannedFunction = z.object({
  Runtime: z.enum(['nodejs22.x', 'nodejs24.x']),
  Architectures: z.tuple([z.literal('arm64')]),
});

/** Creates a function as the platform's are, with a function URL that streams, and returns the parts of its response. */
async function streamOnce(clients: Clients, { config, account, resources }: Plan): Promise<string[]> {
  const lambda = new LambdaClient({ region: config.region });
  const FunctionName = `${config.prefix}-preflight`;
  const roleName = `${FunctionName}-function`;
  const { Runtime, Architectures } = PlannedFunction.parse(resources('AWS::Lambda::Function')[0]?.properties);
  const zip = createZip();
  zip.add('index.mjs', Buffer.from(HANDLER), 0o100644);
  const ZipFile = zip.end();
  const remove = async () => {
    await deleteIfPresent(() => lambda.send(new DeleteFunctionUrlConfigCommand({ FunctionName })));
    await deleteIfPresent(() => lambda.send(new DeleteFunctionCommand({ FunctionName })));
  };
  return await withRole(clients, roleName, 'lambda.amazonaws.com', async () => {
    await remove();
    try {
      await onceRoleIsKnown(clients, () =>
        lambda.send(
          new CreateFunctionCommand({
            ...{
              FunctionName,
              Runtime,
              Architectures: [...Architectures],
              Handler: 'index.handler',
              Code: { ZipFile },
            },
            ...{ Role: `arn:aws:iam::${account}:role/${roleName}`, Timeout: 10 },
            Description: 'Throwaway of npm run preflight, safe to delete',
          }),
        ),
      );
      await waitUntilFunctionActiveV2({ client: lambda, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 1 }, { FunctionName });
      const url = { FunctionName, AuthType: 'AWS_IAM', InvokeMode: 'RESPONSE_STREAM' } as const;
      await lambda.send(new CreateFunctionUrlConfigCommand(url));
      const { EventStream = [] } = await lambda.send(new InvokeWithResponseStreamCommand({ FunctionName }));
      const parts: string[] = [];
      for await (const { PayloadChunk, InvokeComplete } of EventStream) {
        if (InvokeComplete?.ErrorCode) throw new Error(`${InvokeComplete.ErrorCode}: ${InvokeComplete.ErrorDetails}`);
        if (PayloadChunk?.Payload) parts.push(Buffer.from(PayloadChunk.Payload).toString('utf8'));
      }
      return parts;
    } finally {
      await remove();
    }
  });
}

/** The AI gateway and every application answer by streams. */
const checkStreaming = (plan: Plan): Check =>
  check({
    what: `Streamed responses of Lambda in ${plan.config.region}`,
    needed: 'a throwaway function on arm64, with a function URL, streams its response',
    region: plan.config.region,
    find: (clients) => streamOnce(clients, plan),
    assess: (parts) => ({
      ok: parts.length > 1 && parts.join('') === 'firstlast',
      found: parts.length > 1 ? `streamed in ${parts.length} parts` : `not streamed: ${JSON.stringify(parts)}`,
      remedy: ['Choose a region that streams (docs/deploying.md, 2. Regions): -c region='],
    }),
    remedy: ['Choose a region that streams (docs/deploying.md, 2. Regions): -c region='],
  });

export const checkFunctions = (plan: Plan): Check[] => [checkLayer(plan), checkStreaming(plan)];
