import { BatchGetProjectsCommand, CodeBuildClient } from '@aws-sdk/client-codebuild';
import { ListResourceRecordSetsCommand, Route53Client } from '@aws-sdk/client-route-53';
import * as z from 'zod';
import type { Resource } from '../../local/template/template.ts';
import { type Check, check, mapLimited } from './check.ts';
import { AwsError, type Clients } from './clients.ts';
import type { Plan, PlannedStack } from './plan.ts';
import { isRegistered, readSchema, type Schema } from './templates.ts';

const Described = z.object({
  Stacks: z.object({
    member: z.array(z.object({ StackStatus: z.string(), EnableTerminationProtection: z.string().default('false') })),
  }),
});

interface StackState extends PlannedStack {
  /** CloudFormation's status; undefined if the stack does not exist. */
  status: string | undefined;
  isProtected: boolean;
}

async function readState({ query }: Clients, stack: PlannedStack): Promise<StackState> {
  try {
    const answer = Described.parse(
      await query('cloudformation', stack.region, 'DescribeStacks', { StackName: stack.name }),
    );
    const [found] = answer.Stacks.member;
    return { ...stack, status: found?.StackStatus, isProtected: found?.EnableTerminationProtection === 'true' };
  } catch (error) {
    if (error instanceof AwsError && /does not exist/.test(error.message)) {
      return { ...stack, status: undefined, isProtected: false };
    }
    throw error;
  }
}

/** States in which a stack cannot be deployed, and the steps that fix them. All other states are fine. */
const BLOCKED: { states: RegExp; remedy: (stack: StackState) => string[] }[] = [
  {
    // A stack in review has no resources: its first change set was created but not executed.
    states: /(?<!REVIEW)_IN_PROGRESS$/,
    remedy: ({ name, region }) => [`Wait: aws cloudformation describe-stacks --stack-name ${name} --region ${region}`],
  },
  {
    states: /^UPDATE_ROLLBACK_FAILED$/,
    remedy: ({ name, region }) => [
      `aws cloudformation continue-update-rollback --stack-name ${name} --region ${region}`,
    ],
  },
  {
    // cdk deletes and recreates a stack whose creation failed, unless it is protected.
    states: /^(ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED|DELETE_FAILED)$/,
    remedy: ({ name, region, isProtected }) => [
      ...(isProtected
        ? [
            `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name} --region ${region}`,
          ]
        : []),
      `aws cloudformation delete-stack --stack-name ${name} --region ${region}`,
    ],
  },
];

const blockOf = ({ status = '' }: StackState) => BLOCKED.find(({ states }) => states.test(status));

const checkStacks = (plan: Plan): Check =>
  check({
    what: 'Stacks of the stage',
    needed: 'none is left half-made by an earlier deployment',
    find: (clients) => mapLimited(plan.stacks, 4, (stack) => readState(clients, stack)),
    assess: (states) => {
      const blocked = states.filter(blockOf);
      const existing = states.filter(({ status }) => status);
      return {
        ok: blocked.length === 0,
        found:
          blocked.map(({ name, status }) => `${name}: ${status}`).join(', ') ||
          `${existing.length} of ${states.length} exist`,
        remedy: blocked.flatMap((state) => blockOf(state)?.remedy(state) ?? []),
      };
    },
    remedy: [],
  });

async function exists(lookup: Promise<unknown>): Promise<boolean> {
  try {
    await lookup;
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return false;
    throw error;
  }
}

const RecordSet = z.object({ HostedZoneId: z.string(), Name: z.string(), Type: z.enum(['A', 'AAAA']) });

/** Returns true if a resource exists; undefined if AWS would choose its name. */
type Lookup = (clients: Clients, resource: Resource, region: string) => Promise<boolean | undefined>;

/** Lookups of types that Cloud Control cannot find by name. */
const LOOKUPS: Record<string, Lookup> = {
  'AWS::S3::Bucket': async ({ rest }, { name }, region) => {
    try {
      await rest('s3', region, { operation: 'ListBucket', method: 'HEAD', path: `/${name}` });
      return true;
    } catch (error) {
      // Bucket names are globally unique: 403 means a bucket of another account, 301 one in another region.
      if (error instanceof AwsError && [301, 403, 404].includes(error.status)) return error.status !== 404;
      throw error;
    }
  },
  // A deleted secret occupies its name until the recovery window ends.
  'AWS::SecretsManager::Secret': ({ json }, { name }, region) =>
    exists(json('secretsmanager', region, 'DescribeSecret', { SecretId: name })),
  'AWS::CodeBuild::Project': async (_, { name }, region) => {
    const { projects = [] } = await new CodeBuildClient({ region }).send(
      new BatchGetProjectsCommand({ names: [name] }),
    );
    return projects.length > 0;
  },
  'AWS::Route53::RecordSet': async (_, { properties }) => {
    const { HostedZoneId, Name, Type } = RecordSet.parse(properties);
    const { ResourceRecordSets = [] } = await new Route53Client({ region: 'us-east-1' }).send(
      new ListResourceRecordSetsCommand({ HostedZoneId, StartRecordName: Name, StartRecordType: Type, MaxItems: 1 }),
    );
    // Route 53 returns the asterisk of a wildcard as an octal code.
    return ResourceRecordSets.some((found) => found.Type === Type && found.Name?.replace('\\052', '*') === Name);
  },
};

/** Types whose identifier in Cloud Control is an ARN or a URL that is derived from the name. */
const IDENTIFIERS: Record<string, (resource: Resource) => string> = {
  'AWS::CloudFront::Function': ({ arn }) => arn,
  'AWS::SNS::Topic': ({ arn }) => arn,
  'AWS::StepFunctions::StateMachine': ({ arn }) => arn,
  'AWS::SQS::Queue': ({ ref }) => ref,
};

/** Returns a resource's identifier in Cloud Control; undefined if AWS chooses a part of it. */
function identifierOf({ primaryIdentifier, handlers }: Schema, resource: Resource): string | undefined {
  if (!handlers.read) return undefined;
  const derived = IDENTIFIERS[resource.type]?.(resource);
  if (derived) return derived;
  const parts = primaryIdentifier.map((path) => resource.properties[path.replace('/properties/', '')]);
  return parts.length > 0 && parts.every((part) => typeof part === 'string') ? parts.join('|') : undefined;
}

/** Returns the lookup of a type in a region; undefined if the type has none. */
async function lookupOf(clients: Clients, type: string, region: string): Promise<Lookup | undefined> {
  const specialLookup = LOOKUPS[type];
  if (specialLookup) return specialLookup;
  const schema = await readSchema(clients, region, type);
  if (!schema) return undefined;
  return async ({ json }, resource) => {
    const Identifier = identifierOf(schema, resource);
    if (Identifier === undefined) return undefined;
    return await exists(json('cloudcontrolapi', region, 'GetResource', { TypeName: type, Identifier }));
  };
}

interface Names {
  taken: Resource[];
  count: number;
  /** Types whose lookup failed, with the error. */
  unknown: Set<string>;
}

/** Errors that end the check: without rights or credentials, all lookups fail. */
const FATAL = /AccessDenied|Unauthorized|InvalidClientToken|UnrecognizedClient|ExpiredToken/;

/** Looks up all names that missing stacks would create. Existing stacks own their names. */
async function findNames(clients: Clients, plan: Plan): Promise<Names> {
  const states = await mapLimited(plan.stacks, 4, (stack) => readState(clients, stack));
  const missing = states.filter(({ status }) => !status);
  const names: Names = { taken: [], count: 0, unknown: new Set() };
  for (const region of plan.regions) {
    const stacks = missing.filter((stack) => stack.region === region);
    for (const type of new Set(stacks.flatMap(({ types }) => [...types].filter(isRegistered)))) {
      const lookup = await lookupOf(clients, type, region);
      if (!lookup) continue;
      const resources = plan.resources(type).filter(({ stack }) => stacks.some(({ name }) => name === stack));
      await mapLimited(resources, 4, async (resource) => {
        try {
          const isTaken = await lookup(clients, resource, region);
          if (isTaken !== undefined) names.count += 1;
          if (isTaken) names.taken.push(resource);
        } catch (error) {
          if (!(error instanceof Error) || FATAL.test(error.name)) throw error;
          names.unknown.add(`${type} (${error.name})`);
        }
      });
    }
  }
  return names;
}

/** Returns the name of a resource for operators. */
const label = ({ type, name, properties }: Resource): string =>
  `${type} ${type === 'AWS::Route53::RecordSet' ? `${properties.Name} ${properties.Type}` : name}`;

const checkNames = (plan: Plan): Check =>
  check({
    what: 'Names of the resources of missing stacks',
    needed: 'free: no resource is left over from a stack that was deleted, or belongs to something else',
    find: (clients) => findNames(clients, plan),
    assess: ({ taken, count, unknown }) => ({
      ok: taken.length === 0,
      found: [
        taken.map(label).join(', ') || `none of ${count} names is taken`,
        ...(unknown.size > 0 ? [`not known: ${[...unknown].join(', ')}`] : []),
      ].join('; '),
      remedy: [
        'Left over from an earlier installation: keep its data by importing it (npx cdk import), or delete it.',
        plan.isHome
          ? 'Of something else: choose another stage, -c stage='
          : 'Of something else: give the cell another id in -c cells=',
      ],
    }),
    remedy: [],
  });

/** Checks that leftovers of an earlier deployment do not block this one. */
export const checkLeftovers = (plan: Plan): Check[] => [checkStacks(plan), checkNames(plan)];
