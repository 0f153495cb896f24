import { expect, test } from 'vitest';
import type { Session } from '../emulators/sts/sessions.ts';
import { type Access, createAuthorizer } from './authorizer.ts';
import { operationsOf } from './operations/operations.ts';
import type { Policies, Statement } from './policies.ts';

const ROLE = 'arn:aws:iam::000000000000:role/step';
const KEY = 'arn:aws:kms:af-south-1:000000000000:key/secrets';
const BUCKET = 'arn:aws:s3:::builds';
const TABLE = 'arn:aws:dynamodb:af-south-1:000000000000:table/hosting';

const allow = (
  actions: string[],
  resources: string[],
  Condition?: Record<string, Record<string, string | string[]>>,
): Statement => ({
  effect: 'Allow',
  actions,
  resources,
  document: { Effect: 'Allow', Action: actions, Resource: resources, ...(Condition ? { Condition } : {}) },
});

function authorizerOf(...statements: Statement[]) {
  const policies: Policies = {
    roles: new Map([[ROLE, statements]]),
    resources: new Map([
      [
        KEY,
        {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: 'kms:*',
              Resource: '*',
              Principal: { AWS: 'arn:aws:iam::000000000000:root' },
            },
          ],
        },
      ],
      [
        BUCKET,
        {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Deny', Action: 's3:DeleteObject', Resource: `${BUCKET}/*`, Principal: { AWS: '*' } }],
        },
      ],
    ]),
    bucketOwners: new Map(),
  };
  return createAuthorizer(policies);
}

const session = (more: Partial<Session> = {}): Session => ({ role: ROLE, name: 'step', expiresAt: 1, ...more });
const read = (resource = TABLE): Access => ({ action: 'dynamodb:GetItem', resource });

test('allows what a policy of the role allows, and refuses the rest with AWS’s message', () => {
  const { refuse } = authorizerOf(allow(['dynamodb:GetItem'], [TABLE]));
  expect(refuse(session(), [read()])).toBeUndefined();
  expect(refuse(session(), [read(), read(`${TABLE}/index/due`)])).toEqual({
    role: ROLE,
    action: 'dynamodb:GetItem',
    resource: `${TABLE}/index/due`,
    message:
      `User: arn:aws:sts::000000000000:assumed-role/step/step is not authorized to perform: dynamodb:GetItem on resource: ${TABLE}/index/due` +
      ' because no identity-based policy allows the dynamodb:GetItem action',
  });
  expect(refuse(session({ role: 'arn:aws:iam::000000000000:role/unknown' }), [read()])).toBeDefined();
});

test('evaluates conditions, with the function that a session belongs to', () => {
  const own = { StringEquals: { 'kms:EncryptionContext:application': `\${lambda:SourceFunctionArn}` } };
  const { refuse } = authorizerOf(allow(['kms:Decrypt'], [KEY], own));
  const decrypt = (application: string): Access[] => [
    { action: 'kms:Decrypt', resource: KEY, context: { 'kms:EncryptionContext:application': application } },
  ];
  expect(refuse(session({ sourceFunctionArn: 'arn:a' }), decrypt('arn:a'))).toBeUndefined();
  expect(refuse(session({ sourceFunctionArn: 'arn:b' }), decrypt('arn:a'))).toBeDefined();
  expect(refuse(session(), decrypt('arn:a'))).toBeDefined();
});

test('a policy of the resource refuses what the role’s own allows', () => {
  const { refuse } = authorizerOf(allow(['s3:GetObject', 's3:DeleteObject'], [`${BUCKET}/*`]));
  expect(refuse(session(), [{ action: 's3:GetObject', resource: `${BUCKET}/logs/1` }])).toBeUndefined();
  expect(refuse(session(), [{ action: 's3:DeleteObject', resource: `${BUCKET}/logs/1` }])).toBeDefined();
});

test('a resource of another account needs an admission of its own policy too', () => {
  const away = 'arn:aws:iam::000000000002:role/two-step';
  const admission = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { AWS: 'arn:aws:iam::000000000000:root' },
        Condition: { StringEquals: { 'sts:ExternalId': 'platform' } },
      },
    ],
  };
  const layer = 'arn:aws:lambda:af-south-1:753240598075:layer:adapter:1';
  const { refuse } = createAuthorizer({
    roles: new Map([
      [ROLE, [allow(['sts:AssumeRole'], [away])]],
      [away, [allow(['s3:GetObject'], [`${BUCKET}/*`]), allow(['lambda:GetLayerVersion'], [layer])]],
    ]),
    resources: new Map([[away, admission]]),
    bucketOwners: new Map([[BUCKET, '000000000000']]),
  });
  const assume = (externalId: string): Access[] => [
    { action: 'sts:AssumeRole', resource: away, context: { 'sts:ExternalId': externalId } },
  ];
  expect(refuse(session(), assume('platform'))).toBeUndefined();
  expect(refuse(session(), assume('another'))).toBeDefined();
  expect(refuse(session(), [{ action: 'sts:AssumeRole', resource: away }])).toBeDefined();
  const inTheCell = session({ role: away });
  expect(refuse(inTheCell, [{ action: 's3:GetObject', resource: `${BUCKET}/code` }])).toBeDefined();
  expect(refuse(inTheCell, [{ action: 'lambda:GetLayerVersion', resource: layer }])).toBeUndefined();
});

test('a session has the rights that both its policy and its role have', () => {
  const { refuse } = authorizerOf(allow(['s3:GetObject'], [`${BUCKET}/jobs/*`]));
  const get = (key: string): Access[] => [{ action: 's3:GetObject', resource: `${BUCKET}/${key}` }];
  const limited = (key: string) =>
    session({ policy: { Statement: [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: [`${BUCKET}/${key}`] }] } });
  expect(refuse(limited('jobs/1'), get('jobs/1'))).toBeUndefined();
  expect(refuse(limited('jobs/1'), get('jobs/2'))?.message).toContain('no session policy');
  expect(refuse(limited('logs/1'), get('logs/1'))?.message).toContain('no identity-based policy');
});

test('compares actions without their case, and with wildcards', () => {
  const deny = { Effect: 'Deny', Action: ['DYNAMODB:deleteitem'], Resource: [TABLE] };
  const { refuse, usage } = authorizerOf(allow(['DynamoDB:getitem', 'dynamodb:*Item'], [TABLE]), {
    effect: 'Deny',
    actions: deny.Action,
    resources: deny.Resource,
    document: deny,
  });
  expect(refuse(session(), [read()])).toBeUndefined();
  expect(refuse(session(), [{ action: 'dynamodb:DeleteItem', resource: TABLE }])).toBeDefined();
  expect(usage.used()).toEqual([`step DynamoDB:getitem ${TABLE}`, `step dynamodb:*Item ${TABLE}`]);
});

test('counts each right that a request has used, and only those', () => {
  const due = `${TABLE}/index/due`;
  const webhook = { StringLike: { 'kms:EncryptionContext:webhook': 'whk_*' } };
  const application = { StringLike: { 'kms:EncryptionContext:application': 'arn:*' } };
  const { refuse, usage } = authorizerOf(
    allow(['dynamodb:GetItem', 'dynamodb:Query'], [TABLE, due]),
    allow(['kms:Decrypt'], [KEY], webhook),
    allow(['kms:Decrypt'], [KEY], application),
  );
  refuse(session(), [
    { action: 'dynamodb:Query', resource: due },
    { action: 'kms:Decrypt', resource: KEY, context: { 'kms:EncryptionContext:webhook': 'whk_1' } },
  ]);
  refuse(session(), [{ action: 'dynamodb:PutItem', resource: TABLE }]);
  expect(usage.used()).toEqual([`step dynamodb:Query ${due}`, `step kms:Decrypt ${KEY} ${JSON.stringify(webhook)}`]);
  expect(usage.granted()).toHaveLength(6);
});

test('a write within a transaction is judged by its own partition', () => {
  const besideTheLog = { 'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': ['AUDIT#*'] } };
  const { refuse } = authorizerOf(
    allow(['dynamodb:PutItem'], [TABLE]),
    allow(['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], [TABLE], besideTheLog),
  );
  const refused = (...TransactItems: object[]) => {
    const accesses = operationsOf(() => ({})).dynamodb?.({
      method: 'POST',
      path: '/',
      region: 'af-south-1',
      account: '000000000000',
      query: new URLSearchParams(),
      headers: { 'x-amz-target': 'DynamoDB_20120810.TransactWriteItems' },
      body: Buffer.from(JSON.stringify({ TransactItems })),
    });
    return refuse(session(), accesses ?? [])?.action;
  };
  const of = (pk: string) => ({ TableName: 'hosting', Key: { pk: { S: pk }, sk: { S: 'x' } } });
  const { Key: Item } = of('AUDIT#acc_1');
  expect(refused({ Update: of('ACCOUNT#acc_1') }, { Delete: of('APP#app_1') })).toBeUndefined();
  expect(refused({ Put: { TableName: 'hosting', Item } })).toBeUndefined();
  expect(refused({ Update: of('ACCOUNT#acc_1') }, { Update: of('AUDIT#acc_1') })).toBe('dynamodb:UpdateItem');
  expect(refused({ Delete: of('AUDIT#acc_1') })).toBe('dynamodb:DeleteItem');
});
