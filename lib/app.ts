import { createHash } from 'node:crypto';
import { App, AssetHashType, type AssetOptions } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { type CellNames, cellPlatform, cellsOf } from './cells.ts';
import { configure, type SettingsInput } from './config.ts';
import { namesOf } from './names.ts';
import { AccessLogsStack } from './stacks/access-logs.ts';
import { AiStack } from './stacks/ai.ts';
import { ApiStack } from './stacks/api.ts';
import { ApiPartStack } from './stacks/api-part.ts';
import { API_PARTS } from './stacks/api-parts.ts';
import { AppHostingStack } from './stacks/app-hosting.ts';
import { BackupCopiesStack, BackupStack } from './stacks/backup.ts';
import { BillingStack } from './stacks/billing.ts';
import { BuilderStack } from './stacks/builder.ts';
import { BuildsStack } from './stacks/builds.ts';
import { CellStack } from './stacks/cell.ts';
import { CustomDomainsStack } from './stacks/custom-domains.ts';
import { DatabasesStack } from './stacks/databases.ts';
import { DeploymentsStack } from './stacks/deployments.ts';
import { CertificateStack, EdgeStack } from './stacks/edge.ts';
import { FirewallStack } from './stacks/firewall.ts';
import { GlobalOperationsStack } from './stacks/global-operations.ts';
import { HandOverStack } from './stacks/hand-over.ts';
import { HostingStack } from './stacks/hosting.ts';
import { LoginStack } from './stacks/login.ts';
import { OperationsStack } from './stacks/operations.ts';
import { OperatorApiStack } from './stacks/operator-api.ts';
import type { Platform } from './stacks/platform-stack.ts';
import { DomainsStack } from './stacks/registrar.ts';
import { SchedulesStack } from './stacks/schedules.ts';
import { StreamStack } from './stacks/stream.ts';
import { TableStack } from './stacks/table.ts';
import { UsersStack } from './stacks/users.ts';
import { WebAppStack } from './stacks/web-app.ts';
import { DeliveryStack } from './stacks/webhooks.ts';

export interface AppOptions extends SettingsInput {
  /** The output folder of `bundle()` (lib/build/bundles.ts). */
  bundles: string;
  /**
   * The folder of the built web app (lib/build/web-app.ts). The local run leaves it out and serves the files without a
   * bucket.
   */
  webApp?: string;
  /** The directory for templates and assets. The CDK command line sets it. */
  outdir?: string;
  /** Validates the templates against CloudFormation's rules, which takes some seconds. Default: true. */
  validate?: boolean;
  /**
   * Leaves assets in place and refers to them by absolute path in the asset manifest, with a hash of their name instead
   * of their content. Used by runs within one process: nothing is copied, a rebuilt bundle is found at the same path,
   * and only the bundles' folders have to exist at synthesis.
   */
  assetsInPlace?: boolean;
}

/** Feature flags that differ from the recommendations for a new CDK app. */
const FLAGS = {
  // Stacks share values by exports and imports, so that a stack cannot remove a value that another stack reads.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
  // Findings of CDK's own template validation fail the synthesis.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
};

/** Creates the whole platform as CDK stacks. `createApp(…).synth()` needs no AWS account and no credentials. */
export function createApp({
  bundles,
  webApp,
  outdir,
  validate = true,
  assetsInPlace = false,
  ...settings
}: AppOptions): App {
  const config = configure(settings);
  const app = new App({
    ...(outdir ? { outdir } : {}),
    context: { ...recommendedFlags, ...FLAGS },
    analyticsReporting: false,
    treeMetadata: validate,
    stackTraces: validate,
    builtinCloudFormationValidation: validate,
    postCliContext: assetsInPlace ? { 'aws:cdk:disable-asset-staging': true } : {},
  });
  const asset = (bundle: string): AssetOptions =>
    assetsInPlace
      ? { assetHash: createHash('sha256').update(bundle).digest('hex'), assetHashType: AssetHashType.CUSTOM }
      : {};
  const platform: Platform = { app, config, names: namesOf(config), bundles, asset, cellRoles: [] };

  const table = new TableStack(platform);
  const appHosting = new AppHostingStack(platform);
  const copies = config.backupRegion ? new BackupCopiesStack(platform, config.backupRegion) : undefined;
  const builds = new BuildsStack(platform, copies);
  new BuilderStack(platform);
  const deployments = new DeploymentsStack(platform, { table, appHosting, builds });
  const login = new LoginStack(platform, new UsersStack(platform));
  const billing = new BillingStack(platform);
  const certificate = config.hostedZoneId ? new CertificateStack(platform, config.hostedZoneId).certificate : undefined;
  const customDomains = new CustomDomainsStack(platform, { table, appHosting }, certificate);
  const api = new ApiStack(platform, { table, appHosting, builds, login, billing, customDomains });
  const apiParts = API_PARTS.map((part) => new ApiPartStack(platform, api, part));
  const ai = new AiStack(platform, { table, appHosting, api, login });
  const delivery = new DeliveryStack(platform, table, appHosting);
  const hosting = new HostingStack(platform, table, appHosting);
  const databases = new DatabasesStack(platform, table);
  const domains = new DomainsStack(platform, { table, customDomains });
  const jobQueues = new HandOverStack(platform, {
    table,
    appHosting,
    builds,
    deployments,
    hosting,
    databases,
    domains,
    customDomains,
    billing,
  });
  const stream = new StreamStack(platform, { table, delivery, domains, jobQueues });
  const schedules = new SchedulesStack(platform, {
    table,
    api,
    builds,
    appHosting,
    login,
    deployments,
    delivery,
    hosting,
    databases,
    domains,
    customDomains,
    billing,
    jobQueues,
  });
  const operatorApi = new OperatorApiStack(platform, { table, api, delivery, domains, jobQueues, stream, schedules });
  const firewall = new FirewallStack(platform);
  const edge = new EdgeStack(platform, { api, ai, appHosting, login, firewall }, certificate);
  // The local run serves the files itself.
  if (webApp) new WebAppStack(platform, webApp, { edge, login, operations: [...apiParts, operatorApi] });
  new AccessLogsStack(platform, {
    platform: edge.apiDistributionId,
    applications: edge.appsDistributionId,
    'custom-domains': customDomains.distributionId,
  });
  const operations = new OperationsStack(platform, { table, api, ai });
  if (copies) {
    const backup = new BackupStack(platform, copies.region);
    // The backup refers to the vault and the topic by name, so they must exist first.
    for (const stack of [copies, operations]) backup.addStackDependency(stack);
  }
  new GlobalOperationsStack(platform, edge);
  for (const cell of cellsOf(config)) createCell(platform, cell);
  return app;
}

/** Creates the stacks of a hosting cell: `hosting-<stage>-cell-<id>-…`. */
function createCell(home: Platform, cell: CellNames): void {
  const platform = cellPlatform(home, cell);
  const { hostedZoneId } = platform.config;
  const certificate = hostedZoneId ? new CertificateStack(platform, hostedZoneId).certificate : undefined;
  const stack = new CellStack(platform, cell, home, certificate);
  new AccessLogsStack(platform, {
    applications: stack.appsDistributionId,
    'custom-domains': stack.tenantDistributionId,
  });
}
