import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { AccountPrincipal, PrincipalWithConditions, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  CfnOutput,
  CrossStackReferences,
  Duration,
  ReferenceStrength,
  RemovalPolicy,
  Validations,
} from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type CellNames, cellRoleArn, cellRoleName, externalIdOf } from '../cells.ts';
import { createAppCache } from '../constructs/app-cache.ts';
import { type CellParts, customerRights } from '../constructs/app-rights.ts';
import { ignoreEmbeddedMetrics } from '../constructs/logs.ts';
import { PRIVATE_BUCKET } from '../constructs/private-bucket.ts';
import { explainWildcards, policyOf } from '../constructs/rights.ts';
import { createTenantEdge } from '../constructs/tenant-edge.ts';
import { Site } from './edge.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/**
 * A hosting cell: all resources that applications need in another account or region. Each function of the control plane that works in the cell
 * has a role there, with the same rights as at home.
 */
export class CellStack extends PlatformStack {
  readonly appsDistributionId: string;
  readonly tenantDistributionId: string;

  /** @param home the platform that the cell belongs to */
  constructor(platform: Platform, cell: CellNames, home: Platform, certificate?: ICertificate) {
    super(platform, 'apps', `Hosting cell ${cell.id}: applications of ${home.config.prefix}, with their edge`);
    const { config, names } = platform;
    const { appsDomain, hostedZoneId } = config;
    const routes = new KeyValueStore(this, 'Routes', {
      keyValueStoreName: names.global('routes'),
      comment: 'Host name of an application → host of its function and its release, or "placeholder"',
    });
    const staticFiles = createAppCache(this, names.global('static-files'));
    this.customerRole(platform, home);
    ignoreEmbeddedMetrics(this, names.global('no-metrics'), [names.appFunctions.logPrefix]);
    const code = this.codeBucket(platform);
    const site = new Site(this, 'Apps', platform, {
      host: `*.${appsDomain}`,
      zone: { name: appsDomain, id: hostedZoneId },
      origin: appsDomain,
      edgeFunction: 'route-app',
      readTimeout: TIMEOUTS_S.edge.applications,
      applications: { routes, staticFiles },
      certificate,
    });
    const { distribution, group } = createTenantEdge(new Construct(this, 'CustomDomains'), platform, {
      routes,
      staticFiles,
      certificate,
    });
    for (const referenced of [site.distribution, distribution])
      CrossStackReferences.of(referenced).produce(ReferenceStrength.WEAK);
    this.appsDistributionId = site.distribution.distributionId;
    this.tenantDistributionId = distribution.ref;

    this.accessRoles(cell, home, {
      names,
      routesArn: routes.keyValueStoreArn,
      codeBucketArn: code.bucketArn,
      tenantDistributionArn: names.distribution(distribution.ref),
      connectionGroupArn: group.attrArn,
    });
    new CfnOutput(this, 'Cell', {
      description: 'Resources of the cell, for the operators’ function setCell',
      value: this.toJsonString({
        account: config.account,
        region: config.region,
        appsDomain,
        codeBucket: code.bucketName,
        rolePrefix: cellRoleArn(cell, ''),
        externalId: externalIdOf(home.config),
        functionPrefix: names.appFunctions.prefix,
        functionArnPrefix: names.appFunctions.arnPrefix,
        functionRoleArn: names.appRole.arn,
        adapterLayerArn: names.appAdapterLayer,
        routesArn: routes.keyValueStoreArn,
        tenantDistributionId: distribution.ref,
        connectionGroupId: group.attrId,
        edgeEndpoint: group.attrRoutingEndpoint,
      }),
    });
  }

  /** Creates the role of customers' code. The platform's key encrypts the code's variables, and the key's policy allows the cell's account. */
  private customerRole({ names }: Platform, home: Platform): void {
    const rights = customerRights(names, {
      on: [`arn:aws:kms:${home.config.region}:${home.config.account}:key/*`],
      wildcard: 'AWS chooses the key’s id; the encryption context is that of the calling function alone',
    });
    const role = new Role(this, 'AppRole', {
      roleName: names.appRole.name,
      description: 'Permissions of customer code: decrypt its own variables, write its own log',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { own: policyOf(rights) },
    });
    explainWildcards(role, rights);
  }

  /** Creates the bucket from which Lambda loads code. Releases are copied into it, because it must be in the functions' region. */
  private codeBucket({ names }: Platform): Bucket {
    const bucket = new Bucket(this, 'Code', {
      bucketName: names.code.name,
      ...PRIVATE_BUCKET,
      removalPolicy: RemovalPolicy.DESTROY,
      lifecycleRules: [{ expiration: Duration.days(1), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'only one role of the platform accesses these machine-written objects, which live for a day',
    });
    return bucket;
  }

  /** Creates a role for each function of the control plane that works in cells. */
  private accessRoles(cell: CellNames, home: Platform, parts: CellParts): void {
    const { account = '', prefix } = home.config;
    const platformRoles = new PrincipalWithConditions(new AccountPrincipal(account), {
      StringEquals: { 'sts:ExternalId': externalIdOf(home.config) },
      ArnLike: { 'aws:PrincipalArn': `arn:aws:iam::${account}:role/${prefix}-*` },
    });
    for (const { functionName, inCells } of home.cellRoles) {
      const rights = inCells.flatMap((rightsIn) => rightsIn(parts));
      const role = new Role(this, functionName, {
        roleName: cellRoleName(cell.id, functionName),
        description: `${functionName}: the permissions it needs in this cell and no others`,
        assumedBy: platformRoles,
        inlinePolicies: { needs: policyOf(rights) },
      });
      explainWildcards(role, rights);
    }
  }
}
