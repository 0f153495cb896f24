import { expect, test } from 'vitest';
import { Role, read, synthesize } from './synthesized.ts';

/** Conditions of rights, without which a role could reach what belongs to others. */

const { template } = synthesize({ stage: 'prod' });
const statements = read(template, 'AWS::IAM::Role', Role).flatMap(({ name, Policies }) =>
  Policies.map((statement) => ({ role: name, ...statement })),
);
const granting = (action: RegExp) => statements.filter(({ Action }) => Action.some((each) => action.test(each)));

/** Functions of applications, whose names are the owners of variables and databases. */
const ANY_APP = 'arn:aws:lambda:af-south-1:123456789012:function:hosting-prod-app-*';
const CUSTOMERS = 'hosting-prod-app-af-south-1';

test('each secret is decrypted under the kind of its owner alone', () => {
  const owners: Record<string, string> = {
    application: ANY_APP,
    checks: 'secretKey',
    deployKey: 'app_*',
    gitHook: 'app_*',
    hostingServer: '*',
    providerKeyOf: 'acc_*',
    webhook: 'whk_*',
  };
  const found = granting(/^kms:/).filter(({ role }) => role !== CUSTOMERS);
  for (const { role, Condition = {} } of found) {
    const conditions = Object.values(Condition).flatMap((each) => Object.entries(each));
    expect(conditions, role).toHaveLength(1);
    for (const [key, value] of conditions) {
      expect(key).toMatch(/^kms:EncryptionContext:/);
      expect([key, value]).toEqual([key, owners[key.slice('kms:EncryptionContext:'.length)]]);
    }
  }
  expect(found.length).toBeGreaterThan(15);
});

test('databases are created for applications, changed and opened as theirs, and keep their owner', () => {
  const owned = { StringLike: { 'aws:ResourceTag/application': ANY_APP } };
  const conditionOf = (action: string) =>
    granting(/^dsql:/).flatMap(({ role, Action, Condition }) =>
      Action.includes(`dsql:${action}`) && role !== CUSTOMERS ? [Condition] : [],
    );
  const created = { StringLike: { 'aws:RequestTag/application': ANY_APP } };
  for (const [action, condition] of Object.entries({
    CreateCluster: created,
    GetCluster: owned,
    DeleteCluster: owned,
  })) {
    expect(conditionOf(action).length, action).toBeGreaterThan(0);
    for (const each of conditionOf(action)) expect(each, action).toEqual(condition);
  }
  expect(conditionOf('TagResource')).toEqual(
    expect.arrayContaining([
      created,
      { ...owned, 'ForAllValues:StringEquals': { 'aws:TagKeys': ['passwords', 'access'] } },
    ]),
  );
  expect(conditionOf('DbConnectAdmin')).toEqual([
    { ...owned, StringEqualsIfExists: { 'aws:ResourceTag/access': ['ALL', 'OWNER'] } },
  ]);
});

test('a role is passed to Lambda only, and only that of customers’ code', () => {
  const passing = granting(/^iam:PassRole$/);
  expect(passing.length).toBeGreaterThan(0);
  for (const { Resource, Condition } of passing) {
    expect(Resource).toEqual([`arn:aws:iam::123456789012:role/${CUSTOMERS}`]);
    expect(Condition).toEqual({ StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } });
  }
  for (const { Condition } of granting(/^iam:CreateServiceLinkedRole$/))
    expect(Condition).toEqual({ StringEquals: { 'iam:AWSServiceName': 'dsql.amazonaws.com' } });
  expect(granting(/^iam:(?!PassRole$|CreateServiceLinkedRole$)/)).toEqual([]);
});

test('a role is assumed by the functions that need its sessions, and no role by any other', () => {
  const assumed = granting(/^sts:/).map(({ role, Action, Resource }) => [Resource, Action, role]);
  const arnOf = (access: string) => `arn:aws:iam::123456789012:role/hosting-prod-${access}-access-af-south-1`;
  const of = (access: string | string[], holder: string) => [
    [access].flat().map(arnOf),
    ['sts:AssumeRole'],
    expect.stringContaining(holder),
  ];
  expect(assumed.sort()).toEqual([
    of(['build', 'database'], 'BeginDeployment'),
    of('database', 'CreateDatabasePassword'),
    of('export', 'CreateExportLink'),
  ]);
});
