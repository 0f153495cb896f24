import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { TIMEOUTS_S as T } from '../../contract/limits/timeouts.ts';
import type { OperatorUses, Uses } from '../../contract/route.ts';
import { type AnyRoute, dashboardRoutes, operatorRoutes, routes } from '../../contract/routes.ts';
import { bundleInto } from '../../local/lambda/bundle-cache.ts';
import { LambdaFunction, Role, read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
const roles = read(template, 'AWS::IAM::Role', Role);

/** Actions without resource-level permissions: they require `*`. */
const WITHOUT_RESOURCE = [
  /^xray:/,
  /^logs:(\w+LogDelivery|ListLogDeliveries|PutResourcePolicy|Describe\w+)$/,
  /^dynamodb:ListStreams$/,
  /^cloudwatch:GetMetricData$/,
  /^logs:(GetQueryResults|StopQuery)$/,
  /^lambda:GetAccountSettings$/,
  /^route53domains:/,
  /^cloudwatch:GetMetricData$/,
  // It has, but AWS's own policy for CodeDeploy does not use them, and a composite alarm needs `*`.
  /^cloudwatch:DescribeAlarms$/,
  /^acm:RequestCertificate$/,
  /^cloudfront:CreateDistributionTenant$/,
  /^route53:(CreateHostedZone|ListHostedZonesByName|GetAccountLimit)$/,
  /^dsql:ListClusters$/,
  /^acm:ListCertificates$/,
  /^ses:GetAccount$/,
  /^servicequotas:(GetServiceQuota|ListServiceQuotas)$/,
];

const actionsOf = (functionName: string): string[] => {
  const role = functions.find(({ FunctionName }) => FunctionName === `hosting-prod-${functionName}`)?.Role;
  return roles.flatMap(({ arn, Policies }) => (arn === role ? Policies.flatMap(({ Action }) => Action) : []));
};

/** Operations of the HTTP API with the names of their functions. */
const operations = [
  ...(routes as readonly AnyRoute[]).map((route) => ({ ...route, name: `api-${route.id}` })),
  ...(dashboardRoutes as readonly AnyRoute[]).map((route) => ({ ...route, name: `dashboard-${route.id}` })),
  ...(operatorRoutes as readonly AnyRoute[]).map((route) => ({ ...route, name: `operator-api-${route.id}` })),
];

test('no role has a wildcard action, a managed policy or access to every resource', () => {
  for (const { resource, Policies, ManagedPolicyArns } of roles) {
    expect(ManagedPolicyArns, resource.logicalId).toEqual([]);
    for (const { Action, Resource } of Policies) {
      for (const action of Action) expect(action).not.toContain('*');
      if (Resource.includes('*'))
        for (const action of Action)
          expect(
            WITHOUT_RESOURCE.some((known) => known.test(action)),
            action,
          ).toBe(true);
    }
  }
  expect(template.resources('AWS::IAM::Policy'), 'rights stand in the role').toEqual([]);
});

test('a read operation writes nothing but the request counter, unless it leaves an entry of the audit log', () => {
  for (const { name, id, method, audit } of operations) {
    const writes = actionsOf(name).filter((action) => /^dynamodb:(Put|Update|Delete)/.test(action));
    expect(writes.sort(), id).toEqual(
      method === 'GET' && audit === undefined
        ? ['dynamodb:UpdateItem']
        : ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    );
  }
});

test('no role may change or delete entries of the audit log', () => {
  const changing = roles.flatMap(({ Policies }) =>
    Policies.filter(({ Action }) =>
      Action.some((action) => /^dynamodb:(UpdateItem|DeleteItem|BatchWriteItem|PartiQL\w+)$/.test(action)),
    ),
  );
  expect(changing.length).toBeGreaterThan(50);
  for (const { Action, Condition } of changing) {
    expect([Action, Condition]).toEqual([
      Action,
      {
        'ForAllValues:StringNotLike': {
          'dynamodb:LeadingKeys': expect.toSatisfy((keys) => [keys].flat()[0] === 'AUDIT#*'),
        },
      },
    ]);
  }
});

test('one role may delete certificates, of the region of CloudFront’s alone, and may not change a tenant', () => {
  const deleting = roles.flatMap(({ arn, Policies }) =>
    Policies.filter(({ Action }) => Action.includes('acm:DeleteCertificate')).map(({ Resource }) => ({
      arn,
      Resource,
    })),
  );
  const certificates = expect.stringMatching(/^arn:aws:acm:us-east-1:[^*]+:certificate\/\*$/);
  const role = functions.find(({ FunctionName }) => FunctionName === 'hosting-prod-schedule-measureQuotas')?.Role;
  expect(deleting).toEqual([{ arn: role, Resource: [certificates] }]);
  expect(actionsOf('schedule-measureQuotas').filter((action) => action.startsWith('cloudfront:'))).toEqual([
    'cloudfront:GetDistributionTenantByDomain',
    'cloudfront:GetManagedCertificateDetails',
  ]);
});

test('customer code can only decrypt its own variables, connect to its own databases and write its own log', () => {
  const role = roles.find(({ name }) => name === 'hosting-prod-app-af-south-1');
  expect(role?.Policies.flatMap(({ Action }) => Action).sort()).toEqual([
    'dsql:DbConnectAdmin',
    'kms:Decrypt',
    'logs:CreateLogStream',
    'logs:PutLogEvents',
  ]);
  const connect = role?.Policies.find(({ Action }) => Action.includes('dsql:DbConnectAdmin'));
  expect(connect?.Condition).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM's own variable
    StringEquals: { 'aws:ResourceTag/application': '${lambda:SourceFunctionArn}' },
    StringEqualsIfExists: { 'aws:ResourceTag/access': ['ALL'] },
  });
  const stream = role?.Policies.find(({ Action }) => Action.includes('logs:CreateLogStream'));
  expect(stream?.Action).toEqual(['logs:CreateLogStream']);
  expect(stream?.Condition).toEqual({ StringEquals: connect?.Condition?.StringEquals });
  const decrypt = role?.Policies.find(({ Action }) => Action.includes('kms:Decrypt'));
  expect(decrypt?.Condition).toEqual({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM's own variable
    StringEquals: { 'kms:EncryptionContext:application': '${lambda:SourceFunctionArn}' },
  });
});

test('a build’s own role can fetch the builder and write its log, and access no customer data', () => {
  const role = roles.find(({ resource }) => resource.logicalId.startsWith('BuildRole'));
  const rights =
    role?.Policies.flatMap(({ Action, Resource }) => Action.map((action) => [action, [Resource].flat()])) ?? [];
  expect(rights.map(([action]) => action).sort()).toEqual([
    'logs:CreateLogStream',
    'logs:PutLogEvents',
    's3:GetBucketAcl',
    's3:GetBucketLocation',
    's3:GetObject',
    's3:GetObjectVersion',
  ]);
  for (const [action, resources] of rights) {
    const own = String(action).startsWith('logs:')
      ? /:log-group:\/aws\/codebuild\/hosting-prod-build-af-south-1:\*$/
      : String(action).startsWith('s3:GetBucket')
        ? /:s3:::cdk-[^/]*-assets-[^/]*$/
        : /\/[0-9a-f]{64}\.zip$/;
    for (const resource of resources ?? []) expect(resource).toMatch(own);
  }
});

/** Returns the roles that may assume a role. */
const holdersOf = (name: string): string[] =>
  roles
    .filter(({ Policies }) =>
      Policies.some(
        ({ Action, Resource }) =>
          Action.includes('sts:AssumeRole') && Resource.some((arn) => arn.endsWith(`:role/${name}`)),
      ),
    )
    .map(({ resource }) => resource.logicalId);

test('the passwords of databases are signed by a role that two functions can assume, which may only connect', () => {
  expect(holdersOf('hosting-prod-database-access-af-south-1')).toEqual([
    expect.stringContaining('BeginDeployment'),
    expect.stringContaining('CreateDatabasePassword'),
  ]);
  const access = roles.find(({ name }) => name === 'hosting-prod-database-access-af-south-1');
  expect(access?.Policies.flatMap(({ Action }) => Action)).toEqual(['dsql:DbConnectAdmin']);
});

test('the requests of builds are signed by a role that no build can assume', () => {
  expect(holdersOf('hosting-prod-build-access-af-south-1')).toEqual([expect.stringContaining('BeginDeployment')]);
  const access = roles.find(({ name }) => name === 'hosting-prod-build-access-af-south-1');
  expect(access?.Policies.flatMap(({ Action }) => Action).sort()).toEqual([
    's3:DeleteObject',
    's3:GetObject',
    's3:PutObject',
  ]);
  const [project] = template.resources('AWS::CodeBuild::Project');
  const names = JSON.stringify(project?.properties.Environment);
  expect(names).not.toContain('BUILD_USER');
  expect(names).not.toContain('BUCKET');
});

/** Encryption context per function that uses the key; the application's by default. */
const CONTEXTS: [holder: RegExp, contexts: string[]][] = [
  [/Chat|ProviderKey/, ['providerKeyOf']],
  [/Webhook|RotateSecret/, ['webhook']],
  [/Hosting/, ['hostingServer']],
  [/CreateApp/, ['gitHook', 'deployKey']],
  [/ReceivePush|GitHook/, ['gitHook']],
  [/RotateDeployKey/, ['deployKey']],
  [/BeginDeployment/, ['application', 'deployKey']],
  [/RunChecks/, ['checks']],
];

test('only operations that need the key may use it, each with its own encryption context', () => {
  const holders = roles.filter(({ Policies }) =>
    Policies.some(({ Action }) => Action.some((action) => action.startsWith('kms:'))),
  );
  const touching: readonly (Uses | OperatorUses)[] = [
    'secrets',
    'signing',
    'panel',
    'git',
    'hooks',
    'new-hook-secret',
    'new-deploy-key',
    'provider-keys',
    'new-server-token',
  ];
  const secretRoutes = operations.filter(({ uses }) => uses.some((use) => touching.includes(use)));
  // The others: the role of customer code, the two steps of a deployment that open variables, the one of a move, the function that calls models, the
  // one that sends webhooks, two for hosting servers, and the synthetic checks.
  expect(holders).toHaveLength(secretRoutes.length + 9);
  for (const { Policies, resource } of holders) {
    const conditions = Policies.filter(({ Action }) => Action.some((action) => action.startsWith('kms:'))).map(
      ({ Condition }) => Object.keys(Object.values(Condition ?? {})[0] ?? {}),
    );
    const [, contexts = ['application']] = CONTEXTS.find(([holder]) => holder.test(resource.logicalId)) ?? [];
    expect(conditions, resource.logicalId).toEqual(contexts.map((context) => [`kms:EncryptionContext:${context}`]));
  }
  expect(actionsOf('queue-deliverWebhook').filter((action) => action.startsWith('kms:'))).toEqual(['kms:Decrypt']);
  expect(actionsOf('api-createWebhook').filter((action) => action.startsWith('kms:'))).toEqual(['kms:GenerateDataKey']);
});

/** Returns the source files of each function's bundle. */
async function bundledFiles(): Promise<Map<string, string[]>> {
  const outdir = mkdtempSync(join(tmpdir(), 'bundles-'));
  await bundleInto(outdir);
  const Meta = z.object({
    outputs: z.record(z.string(), z.object({ inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })) })),
  });
  const meta = Meta.parse(JSON.parse(readFileSync(join(outdir, 'meta-node24-esm.json'), 'utf8')));
  rmSync(outdir, { recursive: true });
  return new Map(
    Object.entries(meta.outputs).flatMap(([output, { inputs }]) => {
      const name = /functions\/(.+)\/index\.mjs$/.exec(output)?.[1]?.replace('/', '-');
      const files = Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
      return name ? [[name, files] as const] : [];
    }),
  );
}
const bundles = bundledFiles();
const functionOf = (name: string) => functions.find(({ FunctionName }) => FunctionName === `hosting-prod-${name}`);

test('every function has the variables that its code requires', async () => {
  const needed = (file: string) =>
    file.startsWith('runtime/')
      ? [...readFileSync(file, 'utf8').matchAll(/required\('(\w+)'\)/g)].flatMap(([, name]) => name ?? [])
      : [];
  for (const [name, files] of await bundles) {
    const variables = functionOf(name)?.Environment.Variables;
    for (const variable of files.flatMap(needed)) expect(Object.keys(variables ?? {}), name).toContain(variable);
  }
}, 120_000);

// What may be slow or away is a queue's to wait for (docs/decisions/0060-hand-over.md).
test('the stream’s function reaches the table and queues, and nothing else', async () => {
  const actions = actionsOf('stream-onTableChange');
  const allowed = /^(dynamodb:\w+|sqs:SendMessage|logs:(CreateLogStream|PutLogEvents)|xray:Put\w+)$/;
  expect(actions.length).toBeGreaterThan(5);
  expect(actions.filter((action) => !allowed.test(action))).toEqual([]);
  const files = (await bundles).get('stream-onTableChange') ?? [];
  const clients = files.filter((file) => /^(providers|runtime\/bindings)\//.test(file));
  expect(clients.sort()).toEqual([
    // The form of a log's lines, and no client.
    'providers/builds/build-log.ts',
    'providers/dns/sync-queue.ts',
    // Of the table's client and the queues'.
    'providers/http/connections.ts',
    'providers/queues/batch-sender.ts',
    'providers/queues/job-queue.ts',
    'providers/webhooks/delivery-queue.ts',
    ...['delivery-queue', 'job-queue', 'job-queues', 'mail-queue', 'route-queue', 'zone-sync-queue'].map(
      (name) => `runtime/bindings/${name}.ts`,
    ),
  ]);
}, 120_000);

test('an installation without a sender of emails has no function that sends them, nor a right to send any, to or from a queue', () => {
  const of = (settings: { mailFrom?: string }) => {
    const { template } = synthesize({ stage: 'prod', ...settings });
    const named = (type: string) => template.resources(type).flatMap(({ name }) => (/mail/i.test(name) ? [name] : []));
    const actions = read(template, 'AWS::IAM::Role', Role).flatMap(({ Policies }) => Policies);
    return {
      parts: [...named('AWS::SQS::Queue'), ...named('AWS::Lambda::Function')].sort(),
      sends: actions.filter(({ Action }) => Action.includes('ses:SendEmail')),
      counts: actions.filter(({ Action }) => Action.includes('ses:GetAccount')).length,
      queued: actions.filter(({ Resource }) => Resource.some((each) => /:hosting-prod-mails$/.test(each))).length,
    };
  };
  // The queues stay: a deployed stack sends to them until it is updated.
  const queues = ['hosting-prod-mail-failures', 'hosting-prod-mails'];
  expect(of({ mailFrom: 'cognito' })).toEqual({ parts: queues, sends: [], counts: 0, queued: 0 });
  const { parts, sends, counts, queued } = of({});
  expect(counts).toBe(1);
  expect(parts).toEqual([...queues, 'hosting-prod-queue-sendMail']);
  expect(queued).toBeGreaterThan(0);
  const identity = (name: string) => `arn:aws:ses:af-south-1:123456789012:identity/${name}`;
  expect(sends).toEqual([
    {
      Effect: 'Allow',
      Action: ['ses:SendEmail'],
      Resource: [identity('hosting.example'), identity('no-reply@hosting.example')],
      Condition: { StringEquals: { 'ses:FromAddress': 'no-reply@hosting.example' } },
    },
  ]);
}, 120_000);

/** The longest wait of each client of another service, in seconds. */
const CLIENTS: Record<string, number> = {
  'providers/login/profiles.ts': T.login.profile,
  'providers/payments/paystack.ts': T.payments,
  // Two resolvers, each of which tries twice.
  'providers/dns/targets.ts': 2 * T.dnsQuery,
  'providers/dns/txt-records.ts': 2 * T.dnsQuery,
  'providers/edge/host-routes.ts': T.hostRoutes,
  'providers/webhooks/sender.ts': T.delivery.attempt,
  'providers/ai/transport.ts': T.ai.call,
  'providers/hosting-panel/panel.ts': T.panel.read,
  'providers/registrar/registrar.ts': T.aws.call,
  'providers/builds/build-runner.ts': T.aws.call,
};

test('every function outlasts all the services that it waits for', async () => {
  for (const [name, files] of await bundles) {
    // A scheduled job bounds each of its items instead (domain/sweep/sweep.ts).
    if (name.startsWith('schedule-')) continue;
    const waits = Object.entries(CLIENTS).filter(([client]) => files.includes(client));
    // Any request may carry the token of a login, whose issuer's keys are read first (runtime/http/access-token.ts).
    const keys = /^(api|dashboard|ai)-/.test(name) ? T.login.keys : 0;
    const longest = waits.reduce((sum, [, seconds]) => sum + seconds, keys);
    expect(functionOf(name)?.Timeout, name).toBeGreaterThan(T.aws.call + keys);
    expect(functionOf(name)?.Timeout, `${name} waits for ${waits.map(([client]) => client)}`).toBeGreaterThan(longest);
  }
  // A change of a hosting account is one or two calls after two reads.
  expect(functionOf('workflow-reconcileHostingAccount')?.Timeout).toBeGreaterThan(2 * (T.panel.change + T.panel.read));
  const used = new Set([...(await bundles).values()].flat());
  expect(Object.keys(CLIENTS).filter((client) => !used.has(client))).toEqual([]);
}, 120_000);
