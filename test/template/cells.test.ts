import { expect, test } from 'vitest';
import { configure } from '../../lib/config.ts';
import { CellResources } from '../../table/entities/cells.ts';
import { CELLS, synthesize } from './synthesized.ts';

const HOME = '123456789012';
const PROD = {
  stage: 'prod',
  domain: 'hosting.example',
  hostedZoneId: 'Z0123456789ABC',
  appsDomain: 'hosted-apps.example',
  appsHostedZoneId: 'Z9876543210ABC',
};
const withCells = () => synthesize({ stage: 'prod', account: HOME, cells: CELLS });

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}
interface Role extends Resource {
  Properties: {
    RoleName?: string;
    AssumeRolePolicyDocument: { Statement: Record<string, unknown>[] };
    Policies: { PolicyDocument: { Statement: Statement[] } }[];
  };
}
interface Statement {
  Action: string | string[];
  Resource: unknown;
}

/** Returns the resources of a stack. */
const resourcesOf = (name: string): Resource[] => {
  const stack = withCells().stacks.find(({ stackName }) => stackName === `hosting-prod-${name}`);
  if (!stack) throw new Error(`there is no stack ${name}`);
  return Object.values(stack.template.Resources) as unknown as Resource[];
};
const isRole = (resource: Resource): resource is Role => resource.Type === 'AWS::IAM::Role';
const accessRoles = (id: string) =>
  resourcesOf(`cell-${id}-apps`)
    .filter(isRole)
    .filter(({ Properties }) => Properties.RoleName?.startsWith(`${id}-`));
const actionsOf = (role: Role): string[] =>
  role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(({ Action }) => Action));

test('each cell is one set of stacks, and an installation without cells has none', () => {
  const names = withCells().stacks.map(({ stackName }) => stackName);
  for (const { id, region = 'af-south-1' } of CELLS) {
    const own = names.filter((name) => name.startsWith(`hosting-prod-cell-${id}-`));
    expect(own.sort()).toEqual(
      ['access-logs', 'apps', 'certificate'].map(
        (concern) => `hosting-prod-cell-${id}-${concern}${concern === 'apps' ? '' : `-${region}`}`,
      ),
    );
    const apps = withCells().stacks.find(({ stackName }) => stackName === `hosting-prod-cell-${id}-apps`);
    expect(apps?.region).toBe(region);
  }
  const alone = synthesize({ stage: 'prod' });
  expect(alone.stacks.filter(({ stackName }) => stackName.includes('-cell-'))).toEqual([]);
  expect(JSON.stringify(alone.stacks)).not.toContain('sts:ExternalId');
}, 180_000);

test('a cell has a role for each function that works in it, which only the platform’s roles may assume', () => {
  for (const { id } of CELLS) {
    const roles = accessRoles(id);
    const workflow = ['releaseDeployment', 'checkRelease', 'switchRelease', 'pruneReleases', 'teardownApp', 'moveApp'];
    expect(roles.map(({ Properties }) => Properties.RoleName)).toEqual(
      expect.arrayContaining([
        ...workflow.map((name) => `${id}-hosting-prod-workflow-${name}`),
        `${id}-hosting-prod-api-readAppLogs`,
        `${id}-hosting-prod-schedule-reconcile`,
      ]),
    );
    for (const { Properties } of roles) {
      expect(Properties.RoleName?.length).toBeLessThanOrEqual(64);
      const [trust, ...others] = Properties.AssumeRolePolicyDocument.Statement;
      expect(others).toEqual([]);
      expect(JSON.stringify(trust?.Principal)).toContain(HOME);
      expect(trust?.Condition).toEqual({
        StringEquals: { 'sts:ExternalId': 'hosting-prod-af-south-1' },
        ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${HOME}:role/hosting-prod-*` },
      });
    }
  }
});

test('a function may assume its own role in each cell, and there it may do what it may do at home', () => {
  const roleOf = (stack: string, action: string) =>
    resourcesOf(stack)
      .filter(isRole)
      .filter((role) => actionsOf(role).includes(action));
  const assumed = (role: Role) =>
    role.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .filter(({ Action, Resource }) => Action === 'sts:AssumeRole' && JSON.stringify(Resource).includes('role/b-'))
      .flatMap(({ Resource }) => Resource);
  const [home] = roleOf('deployments', 'lambda:CreateFunction');
  if (!home) throw new Error('no function releases');
  expect(assumed(home)).toEqual([
    'arn:aws:iam::222222222222:role/b-hosting-prod-workflow-releaseDeployment',
    'arn:aws:iam::333333333333:role/c-hosting-prod-workflow-releaseDeployment',
  ]);
  const there = accessRoles('b').find(({ Properties }) => Properties.RoleName?.endsWith('workflow-releaseDeployment'));
  const inTheCell = there ? actionsOf(there) : [];
  expect(inTheCell).toEqual(expect.arrayContaining(actionsOf(home).filter((action) => /^(lambda|iam):/.test(action))));
  expect(inTheCell.filter((action) => /^(dynamodb|kms|sqs|states):/.test(action))).toEqual([]);
});

test('operators reach one role of each cell, that of moves, through a role that cells trust', () => {
  const repair = resourcesOf('deployments')
    .filter(isRole)
    .find(({ Properties }) => Properties.RoleName === 'hosting-prod-repair-af-south-1');
  const statements = repair?.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  expect(statements).toEqual([
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Resource: CELLS.map(({ id, account }) => `arn:aws:iam::${account}:role/${id}-hosting-prod-workflow-moveApp`),
    },
  ]);
  const [trust, ...others] = repair?.Properties.AssumeRolePolicyDocument.Statement ?? [];
  expect([JSON.stringify(trust?.Principal), others]).toEqual([expect.stringContaining(`::${HOME}:root`), []]);
});

test('no right in a cell reaches the applications of another one', () => {
  for (const { id, account } of CELLS) {
    const text = JSON.stringify(resourcesOf(`cell-${id}-apps`).filter(isRole));
    for (const other of CELLS) if (other.id !== id) expect(text).not.toContain(other.account);
    expect(text).toContain(`${account}:function:hosting-prod-${id}-app-*`);
    expect(text).not.toContain('function:hosting-prod-app-*');
  }
});

test('the platform’s key and artifacts are open to the roles of each cell that release, for its own applications', () => {
  const statements = (stack: string, type: string, property: string) =>
    resourcesOf(stack)
      .filter(({ Type }) => Type === type)
      .flatMap(({ Properties }) => (Properties[property] as { Statement: Record<string, unknown>[] }).Statement);
  const decrypting = statements('app-hosting', 'AWS::KMS::Key', 'KeyPolicy').filter(
    ({ Action }) => Action === 'kms:Decrypt',
  );
  expect(decrypting.map(({ Condition }) => Condition)).toEqual([
    {
      StringLike: {
        'kms:EncryptionContext:application': 'arn:aws:lambda:eu-west-1:222222222222:function:hosting-prod-b-app-*',
      },
      ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::222222222222:role/hosting-prod-b-app-eu-west-1' },
    },
    {
      StringLike: {
        'kms:EncryptionContext:application': 'arn:aws:lambda:af-south-1:333333333333:function:hosting-prod-c-app-*',
      },
      ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::333333333333:role/hosting-prod-c-app-af-south-1' },
    },
  ]);
  const reading = statements('builds', 'AWS::S3::BucketPolicy', 'PolicyDocument').filter(
    ({ Action }) => Action === 's3:GetObject',
  );
  expect(reading.map(({ Condition }) => Condition)).toEqual(
    ['222222222222:role/b-', '333333333333:role/c-'].map((role) => ({
      ArnEquals: {
        'aws:PrincipalArn': ['releaseDeployment', 'moveApp'].map(
          (name) => `arn:aws:iam::${role}hosting-prod-workflow-${name}`,
        ),
      },
    })),
  );
});

test('the cell’s output is what operators register', () => {
  const stack = withCells().stacks.find(({ stackName }) => stackName === 'hosting-prod-cell-b-apps');
  const Outputs = stack?.template.Outputs ?? {};
  const { 'Fn::Join': [, parts] = [] } = (Outputs.Cell?.Value ?? {}) as { 'Fn::Join'?: [string, unknown[]] };
  const text = (parts ?? []).map((part) => (typeof part === 'string' ? part : 'created')).join('');
  expect(CellResources().parse(JSON.parse(text))).toMatchObject({
    account: '222222222222',
    region: 'eu-west-1',
    appsDomain: 'hosted-b.example',
    rolePrefix: 'arn:aws:iam::222222222222:role/b-',
    externalId: 'hosting-prod-af-south-1',
    functionPrefix: 'hosting-prod-b-app-',
    edgeEndpoint: 'created',
  });
});

test.each([
  ['the account', { cells: CELLS }, 'account: is required with cells'],
  ['another id', { account: HOME, cells: [CELLS[0], CELLS[0]] }, 'the id b is taken'],
  ['an id that is not reserved', { account: HOME, cells: [{ ...CELLS[0], id: 'home' }] }, 'the id home is taken'],
  [
    'a domain that does not overlap',
    { account: HOME, cells: [{ ...CELLS[0], appsDomain: 'b.hosted-apps.example' }] },
    'overlaps with hosted-apps.example',
  ],
])('cells need %s', (_, settings, problem) => {
  expect(() => configure({ ...PROD, ...settings } as never)).toThrow(problem);
});

test('cells may be given as JSON on the command line', () => {
  expect(configure({ ...PROD, account: HOME, cells: JSON.stringify(CELLS) }).cells).toEqual(CELLS);
  expect(() => configure({ ...PROD, account: HOME, cells: '[{' })).toThrow('Invalid settings');
});
