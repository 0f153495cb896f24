import type { DatabaseAccess } from '../../contract/enums.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import type { Right, Use } from './rights.ts';

/** Returns a condition for clusters whose tag `access` has one of the values (providers/databases/databases.ts) or is missing. */
const allowed = (...values: DatabaseAccess[]) => ({ StringEqualsIfExists: { 'aws:ResourceTag/access': values } });

const ANY_CLUSTER = 'AWS chooses the names of clusters; the condition restricts access by their owner’s tag';

/**
 * Returns the permissions on applications' databases. AWS chooses the names of clusters, so permissions depend on the tag `application`, which
 * has the ARN of the only function that the cluster belongs to.
 */
export function databaseUses({ config, names }: Pick<Platform, 'config' | 'names'>) {
  const on = [names.databases];
  const region = { DATABASE_REGION: config.databaseRegion };
  const variables = { ...region, DATABASE_ARN_PREFIX: names.databases.slice(0, -'*'.length) };
  const apps = `${names.appFunctions.arnPrefix}*`;
  const platformClusters: Pick<Right, 'on' | 'when' | 'wildcard'> = {
    on,
    when: { StringLike: { 'aws:ResourceTag/application': apps } },
    wildcard: ANY_CLUSTER,
  };
  const create: Use = {
    variables,
    rights: [
      {
        actions: ['dsql:CreateCluster', 'dsql:TagResource'],
        on,
        when: { StringLike: { 'aws:RequestTag/application': apps } },
        wildcard: ANY_CLUSTER,
      },
      { actions: ['dsql:GetCluster'], ...platformClusters },
      {
        // IAM requires this permission to create the account's first cluster.
        actions: ['iam:CreateServiceLinkedRole'],
        on: [names.databaseServiceRole],
        when: { StringEquals: { 'iam:AWSServiceName': 'dsql.amazonaws.com' } },
      },
    ],
  };
  const remove: Use = { variables, rights: [{ actions: ['dsql:DeleteCluster'], ...platformClusters }] };
  const restrict: Use = {
    variables,
    rights: [
      {
        actions: ['dsql:TagResource'],
        on,
        // The tag `application` decides who may connect. It is set only at the creation and must not change.
        when: {
          StringLike: { 'aws:ResourceTag/application': apps },
          'ForAllValues:StringEquals': { 'aws:TagKeys': ['passwords', 'access'] },
        },
        wildcard: ANY_CLUSTER,
      },
    ],
  };
  /** For the role whose sessions sign passwords. The policy of each session restricts it to one cluster. */
  const connectOwner: Right = {
    actions: ['dsql:DbConnectAdmin'],
    ...platformClusters,
    when: { ...platformClusters.when, ...allowed('ALL', 'OWNER') },
  };
  const createPasswords: Use = {
    variables: {
      DATABASE_ARN_PREFIX: variables.DATABASE_ARN_PREFIX,
      DATABASE_ACCESS_ROLE_ARN: names.databaseAccessRole.arn,
    },
    rights: [{ actions: ['sts:AssumeRole'], on: [names.databaseAccessRole.arn] }],
  };
  const measure: Use = {
    variables: region,
    rights: [
      {
        actions: ['cloudwatch:GetMetricData'],
        on: ['*'],
        wildcard: 'the action has no resource-level permissions',
      },
    ],
  };
  const count: Use = {
    variables: region,
    rights: [{ actions: ['dsql:ListClusters'], on: ['*'], wildcard: 'the action has no resource-level permissions' }],
  };
  const connect: Right = {
    actions: ['dsql:DbConnectAdmin'],
    on,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM replaces it with the ARN of the calling function
    when: { StringEquals: { 'aws:ResourceTag/application': '${lambda:SourceFunctionArn}' }, ...allowed('ALL') },
    wildcard: ANY_CLUSTER,
  };
  return {
    /** The region in which databases are created. */
    region: { variables: region } satisfies Use,
    create,
    remove,
    restrict,
    connectOwner,
    createPasswords,
    measure,
    count,
    /** For customers' code: each application connects to its own database only. */
    connect,
  };
}
