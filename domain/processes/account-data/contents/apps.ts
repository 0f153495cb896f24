import { App, appsOf, EnvSet, GitAccess, Host } from '../../../../table/entities/apps.ts';
import { DistributionTenant, HostClaim } from '../../../../table/entities/custom-domains.ts';
import { type Contents, contents, unread } from '../contents.ts';
import { foundUnder, listed, under } from '../readers.ts';

/** Reads the applications. */
export const apps = listed(App, appsOf);

/** Applications and their host names. */
export const APP_CONTENTS: readonly Contents[] = [
  contents(
    App,
    'teardown',
    {
      file: 'applications',
      shows: [
        ...([
          'id',
          'name',
          'slug',
          'framework',
          'nodeVersion',
          'repoUrl',
          'branch',
          'installCommand',
          'buildCommand',
        ] as const),
        ...([
          'startFile',
          'startCommand',
          'rootDirectory',
          'detected',
          'healthCheckPath',
          'primaryDomain',
          'hosts',
        ] as const),
        ...(['customDomain', 'status', 'suspensions', 'autoDeploy', 'databaseCount', 'liveDeploymentId'] as const),
        ...(['lastDeploymentStatus', 'createdAt', 'updatedAt'] as const),
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
    apps,
  ),
  contents(
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
    under(apps, async function* (table, { accountId, id }, after) {
      const item = after === undefined ? await table.get(EnvSet, { accountId, id }) : undefined;
      if (item) yield ['1', item];
    }),
  ),
  contents(
    GitAccess,
    'teardown',
    {
      file: 'deploy-keys',
      shows: ['applicationId', 'publicKey'],
      omits: { accountId: 'elsewhere', hookSecret: 'secret', privateKey: 'secret' },
    },
    foundUnder(apps, GitAccess, ({ id }) => [{ applicationId: id }]),
  ),
  unread(Host, 'teardown', 'elsewhere'),
  unread(HostClaim, 'teardown', 'elsewhere'),
  contents(
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
    foundUnder(apps, DistributionTenant, ({ customDomain }) => (customDomain ? [{ host: customDomain.host }] : [])),
  ),
];
