import type { Platform } from '../stacks/platform-stack.ts';
import type { Right, Use } from './rights.ts';

const ANY_CLUSTER = 'AWS names clusters; whose they are is said by their tag, which the condition is about';

/**
 * What may be done with applications' databases. Clusters have names of AWS's own, so rights go by their tag `application`,
 * the ARN of the one function that a cluster is for.
 */
export function databaseUses({ config, names }: Pick<Platform, 'config' | 'names'>) {
  const on = [names.databases];
  const variables = { DATABASE_REGION: config.databaseRegion };
  const apps = `${names.appFunctions.arnPrefix}*`;
  const ours: Pick<Right, 'on' | 'when' | 'wildcard'> = {
    on,
    when: { StringLike: { 'aws:ResourceTag/application': apps } },
    wildcard: ANY_CLUSTER,
  };
  const make: Use = {
    variables,
    rights: [
      {
        actions: ['dsql:CreateCluster', 'dsql:TagResource'],
        on,
        when: { StringLike: { 'aws:RequestTag/application': apps } },
        wildcard: ANY_CLUSTER,
      },
      { actions: ['dsql:GetCluster'], ...ours },
      {
        // The first cluster of an account makes it.
        actions: ['iam:CreateServiceLinkedRole'],
        on: [names.databaseServiceRole],
        when: { StringEquals: { 'iam:AWSServiceName': 'dsql.amazonaws.com' } },
      },
    ],
  };
  const remove: Use = { variables, rights: [{ actions: ['dsql:DeleteCluster'], ...ours }] };
  const connect: Right = {
    actions: ['dsql:DbConnectAdmin'],
    on,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM fills it in with the ARN of the function that asks
    when: { StringEquals: { 'aws:ResourceTag/application': '${lambda:SourceFunctionArn}' } },
    wildcard: ANY_CLUSTER,
  };
  return {
    /** Where they are made. */
    region: { variables } satisfies Use,
    make,
    remove,
    /** For the code of customers: each application to its own. */
    connect,
  };
}
