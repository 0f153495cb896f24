import { App, appsOf, EnvSet, GitAccess, Host } from '../../../../table/entities/apps.ts';
import { DistributionTenant, HostClaim } from '../../../../table/entities/custom-domains.ts';
import { PendingJob } from '../../../../table/entities/jobs.ts';
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { keyedReader, listReader, nestedReader } from '../item-readers.ts';

export const readApps = listReader(App, appsOf);

/** Contents of an account: applications and their host names. */
export const APP_CONTENTS: readonly Contents[] = [
  defineContents(
    App,
    'teardown',
    {
      file: 'applications',
      shows: [
        'id',
        'name',
        'slug',
        'framework',
        'nodeVersion',
        'repoUrl',
        'branch',
        'installCommand',
        'buildCommand',
        'startFile',
        'startCommand',
        'rootDirectory',
        'detected',
        'healthCheckPath',
        'primaryDomain',
        'hosts',
        'customDomain',
        'status',
        'suspensions',
        'autoDeploy',
        'databaseCount',
        'liveDeploymentId',
        'lastDeploymentStatus',
        'createdAt',
        'updatedAt',
      ],
      omits: {
        accountId: 'elsewhere',
        branchByDefault: 'internal',
        nodeVersionByDefault: 'internal',
        dueAt: 'internal',
        suspensionVersion: 'internal',
        cellId: 'internal',
        edgeCellId: 'internal',
        moveId: 'internal',
        movingTo: 'internal',
        drainingFrom: 'internal',
        slugHost: 'internal',
        activeDeploymentId: 'internal',
        nextDeploymentId: 'internal',
      },
    },
    readApps,
  ),
  defineContents(
    {
      ...EnvSet,
      key: ({ accountId, applicationId }: Pick<EnvSet, 'accountId' | 'applicationId'>) =>
        EnvSet.key({ accountId, id: applicationId }),
    },
    'teardown',
    {
      file: 'variables',
      shows: ['applicationId', 'keys', 'version'],
      omits: { accountId: 'elsewhere', sealed: 'secret' },
    },
    nestedReader(readApps, async function* (table, { accountId, id }, after) {
      const item = after === undefined ? await table.get(EnvSet, { accountId, id }) : undefined;
      if (item) yield ['1', item];
    }),
  ),
  defineContents(
    GitAccess,
    'teardown',
    {
      file: 'deploy-keys',
      shows: ['applicationId', 'publicKey'],
      omits: { accountId: 'elsewhere', hookSecret: 'secret', privateKey: 'secret' },
    },
    keyedReader(readApps, GitAccess, ({ id }) => [{ applicationId: id }]),
  ),
  defineUnread(Host, 'teardown', 'elsewhere'),
  defineUnread(HostClaim, 'teardown', 'elsewhere'),
  // The job removes it, also if its application no longer exists.
  defineUnread(PendingJob, 'removed', 'internal'),
  defineContents(
    DistributionTenant,
    'teardown',
    {
      file: 'custom-domains',
      shows: ['host', 'applicationId', 'status', 'since', 'problem', 'apex', 'certificates', 'checkedAt', 'askedAt'],
      omits: {
        accountId: 'elsewhere',
        token: 'internal',
        cellId: 'internal',
        createLeaseUntil: 'internal',
        reverified: 'internal',
        troubledSince: 'internal',
        dueAt: 'internal',
        version: 'internal',
      },
    },
    keyedReader(readApps, DistributionTenant, ({ customDomain }) =>
      customDomain ? [{ host: customDomain.host }] : [],
    ),
  ),
];
