import { describe, expect, test } from 'vitest';
import { synthesize, WITH_PAGE } from './synthesized.ts';

/**
 * A creation that fails can be repeated with the same command: the simulation fails each stack at each of its resources,
 * rolls back by CloudFormation's rules, and creates again.
 */

interface Definition {
  Type: string;
  Properties?: Record<string, unknown> | undefined;
  DeletionPolicy?: string | undefined;
  DependsOn?: unknown;
}
type Resources = Record<string, Definition>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the logical ids that a definition refers to. */
function references(value: unknown, resources: Resources): string[] {
  if (typeof value === 'string') {
    // Fn::Sub
    return [...value.matchAll(/\$\{(\w+)[.}]/g)].flatMap(([, id = '']) => (id in resources ? [id] : []));
  }
  if (!isObject(value)) return [];
  const { Ref, 'Fn::GetAtt': attribute } = value;
  const named = [Ref, Array.isArray(attribute) ? attribute[0] : attribute].filter((id) => typeof id === 'string');
  return [
    ...named.flatMap((id) => [id.split('.')[0] ?? '']).filter((id) => id in resources),
    ...Object.values(value).flatMap((each) => references(each, resources)),
  ];
}

const dependenciesOf = ({ Properties, DependsOn }: Definition, resources: Resources): string[] => [
  ...[DependsOn].flat().filter((id): id is string => typeof id === 'string'),
  ...references(Properties, resources),
];

/** The resources that each resource is created after, directly. */
type Graph = Map<string, Set<string>>;
const graphOf = (resources: Resources): Graph =>
  new Map(Object.entries(resources).map(([id, each]) => [id, new Set(dependenciesOf(each, resources))]));

/** Returns the resources that are created after this one, directly or not. */
function dependentsOf(id: string, graph: Graph): Set<string> {
  const found = new Set([id]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [other, needed] of graph)
      if (!found.has(other) && [...needed].some((each) => found.has(each))) found.add(other);
  }
  return found;
}

/** Returns true where AWS refuses to delete the resource. */
const isProtected = (definition: Definition): boolean => {
  const text = JSON.stringify(definition.Properties ?? {});
  return /"(DeletionProtection|DeletionProtectionEnabled|EnableDeletionProtection)":(true|"ACTIVE")/.test(text);
};

/** Custom resources write into the bucket that they name, whose deletion then fails. */
function isFilled(id: string, definition: Definition, created: [string, Definition][], graph: Graph): boolean {
  if (definition.Type !== 'AWS::S3::Bucket') return false;
  return created.some(([otherId, { Type }]) => Type === 'Custom::CDKBucketDeployment' && graph.get(otherId)?.has(id));
}

/** Lambda creates the log group of a function that has none, and nothing deletes it. */
const logsItself = ({ Type, Properties = {} }: Definition): boolean =>
  Type === 'AWS::Lambda::Function' && !('LoggingConfig' in Properties);

interface Rollback {
  /** Resources that exist after it, by logical id. */
  left: string[];
  /** Resources whose deletion fails. */
  stuck: string[];
}

/**
 * Fails a creation at one resource, when all others that do not depend on it exist, and rolls it back. Created resources
 * are deleted but for those with `DeletionPolicy: Retain`
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html).
 */
function rollBack(failing: string, resources: Resources, graph: Graph): Rollback {
  const never = dependentsOf(failing, graph);
  const created = Object.entries(resources).filter(([id]) => !never.has(id));
  const kept = created.filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
  const deleted = created.filter((each) => !kept.includes(each));
  const stuck = deleted.filter(([id, each]) => isProtected(each) || isFilled(id, each, created, graph));
  const logs = deleted.filter(([, each]) => logsItself(each));
  return { left: [...kept, ...stuck, ...logs].map(([id]) => id), stuck: stuck.map(([id]) => id) };
}

/** Returns what stands in the way of a second creation, for each resource at which the first one may fail. */
function obstacles({ resources, terminationProtected }: { resources: Resources; terminationProtected: boolean }) {
  const graph = graphOf(resources);
  return Object.keys(resources).flatMap((failing) => {
    const { left, stuck } = rollBack(failing, resources, graph);
    return [
      ...(terminationProtected ? [`${failing}: cdk cannot delete the rolled-back stack`] : []),
      ...stuck.map((id) => `${failing}: the rollback fails at ${id}`),
      ...left.map((id) => `${failing}: ${id} is left behind and is in the way of the second creation`),
    ];
  });
}

const PROD = { ...WITH_PAGE, stage: 'prod' };
const prod = synthesize(PROD);

describe.each([
  { stage: 'prod', stacks: prod.stacks },
  { stage: 'dev', stacks: synthesize({ stage: 'dev', withPage: true }).stacks },
])('stage $stage', ({ stacks }) => {
  test.each(
    stacks.map(
      ({ stackName, template, terminationProtection }) =>
        [stackName, template.Resources, terminationProtection] as const,
    ),
  )('the creation of %s can be repeated, whichever resource fails', (_name, resources, terminationProtected) => {
    expect(Object.keys(resources).length).toBeGreaterThan(0);
    expect(obstacles({ resources, terminationProtected })).toEqual([]);
  });
});

describe('the simulation finds', () => {
  const other: Definition = { Type: 'AWS::Lambda::Function', Properties: { LoggingConfig: {} } };
  const within = (resources: Resources, terminationProtected = false) =>
    obstacles({ resources: { Other: other, ...resources }, terminationProtected });

  test('a retained name', () => {
    const bucket = (DeletionPolicy: string) =>
      within({ Files: { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'files' }, DeletionPolicy } });
    expect(bucket('Retain')).toEqual([expect.stringContaining('Files is left behind')]);
    expect(bucket('RetainExceptOnCreate')).toEqual([]);
    expect(bucket('Delete')).toEqual([]);
  });

  test('deletion protection beside a resource that may fail, and none where the protected resource comes last', () => {
    const Users = { Type: 'AWS::Cognito::UserPool', Properties: { DeletionProtection: 'ACTIVE' } };
    expect(within({ Users })).toContainEqual('Other: the rollback fails at Users');
    expect(within({ Users: { ...Users, DependsOn: ['Other'] } })).toEqual([]);
  });

  test('a bucket that the stack has filled', () => {
    const Files = { Type: 'AWS::S3::Bucket', DeletionPolicy: 'Delete' };
    const Copy = { Type: 'Custom::CDKBucketDeployment', Properties: { DestinationBucketName: { Ref: 'Files' } } };
    expect(within({ Files, Copy })).toContainEqual('Other: the rollback fails at Files');
  });

  test('termination protection, and a log group of a function', () => {
    expect(within({}, true)).toEqual(['Other: cdk cannot delete the rolled-back stack']);
    expect(within({ Copier: { Type: 'AWS::Lambda::Function', Properties: {} } })).toEqual([
      expect.stringContaining('Other: Copier is left behind'),
    ]);
  });
});

/** Types whose names are unique in the whole account, or in all accounts. */
const GLOBAL = /^AWS::(IAM::|S3::Bucket$|CloudFront::|Route53::|Budgets::)/;
/** Resources that are named after the domain, whatever the region. */
const PER_DOMAIN = /^AWS::(Route53|CertificateManager)::/;

test('installations of one stage in two regions of an account share no name', () => {
  const namesIn = ({ stacks, template }: ReturnType<typeof synthesize>) => {
    const types = new Set(
      stacks.flatMap(({ template: { Resources } }) => Object.values(Resources).map(({ Type }) => Type)),
    );
    const resources = [...types]
      .flatMap((type) => template.resources(type))
      .filter(({ type }) => !PER_DOMAIN.test(type));
    const regionOf = new Map(stacks.map((stack) => [stack.stackName, stack.region]));
    return [
      ...stacks.map((stack) => `${stack.region} stack ${stack.stackName}`),
      ...resources.flatMap(({ type, stack, properties }) => {
        const scope = GLOBAL.test(type) ? 'global' : (regionOf.get(stack) ?? '');
        return namesOf(properties).map((name) => `${scope} ${type} ${name}`);
      }),
    ];
  };
  const here = namesIn(prod);
  const there = new Set(namesIn(synthesize({ ...PROD, region: 'eu-west-1' })));
  expect(here.length).toBeGreaterThan(300);
  expect(here.filter((name) => there.has(name))).toEqual([]);
}, 120_000);

/** Returns the names that a resource's properties give it: `Name`, `BucketName`, `CachePolicyConfig.Name` and the like. */
function namesOf(properties: Record<string, unknown>): string[] {
  return Object.entries(properties).flatMap(([key, value]) => {
    if (/(Config|Budget)$/.test(key) && isObject(value)) return namesOf(value);
    return /(?<!Metric)Name$/.test(key) && typeof value === 'string' ? [value] : [];
  });
}
