import { createHash } from 'node:crypto';
import { App, AssetHashType, type AssetOptions } from 'aws-cdk-lib/core';
import recommendedFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { configure, type SettingsInput } from './config.ts';
import { DashboardApiStack } from './dashboard-api.ts';
import { namesOf } from './names.ts';
import { OperationsStack } from './operations.ts';
import { AiStack } from './stacks/ai.ts';
import { ApiStack } from './stacks/api.ts';
import { AppHostingStack } from './stacks/app-hosting.ts';
import { BillingStack } from './stacks/billing.ts';
import { BuildsStack } from './stacks/builds.ts';
import { DoorsStack } from './stacks/custom-domains.ts';
import { DatabasesStack } from './stacks/databases.ts';
import { DeploymentsStack } from './stacks/deployments.ts';
import { CertificateStack, EdgeStack } from './stacks/edge.ts';
import { HostingStack } from './stacks/hosting.ts';
import { LoginStack } from './stacks/login.ts';
import type { Platform } from './stacks/platform-stack.ts';
import { DomainsStack } from './stacks/registrar.ts';
import { SchedulesStack } from './stacks/schedules.ts';
import { StreamStack } from './stacks/stream.ts';
import { TableStack } from './stacks/table.ts';
import { DeliveryStack } from './stacks/webhooks.ts';

export interface AppOptions extends SettingsInput {
  /** The folder that `bundle()` filled (lib/build/bundles.ts). */
  bundles: string;
  /** The folder of the built web app (lib/build/web-app.ts); the local run serves it without a bucket. */
  webApp?: string;
  /** Where templates and assets go; the CDK command line says so itself. */
  outdir?: string;
  /** Whether CDK checks the templates against CloudFormation's rules: some seconds. True unless told. */
  validate?: boolean;
  /**
   * Whether assets stay where they are and are only referred to (by absolute path in the asset manifest), under their name
   * and not their content. For a run in process: nothing is copied, a bundle that changes is found where it was, and
   * bundles need not be there yet, only their folders.
   */
  assetsInPlace?: boolean;
}

/** Where we depart from what CDK recommends to a new app. */
const FLAGS = {
  // A stack that others read from cannot lose what they read: exports and imports.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
  // Findings of CDK's own template validation fail the synthesis.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
};

/** The whole platform as CDK stacks. `createApp(…).synth()` needs no account and no credentials. */
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
  const platform: Platform = { app, config, names: namesOf(config), bundles, webApp, asset };

  const table = new TableStack(platform);
  const hosting = new AppHostingStack(platform);
  const builds = new BuildsStack(platform, hosting);
  const deployments = new DeploymentsStack(platform, { table, hosting, builds });
  const login = new LoginStack(platform);
  const billing = new BillingStack(platform);
  const certificate = config.hostedZoneId ? new CertificateStack(platform, config.hostedZoneId).certificate : undefined;
  const doors = new DoorsStack(platform, { table, hosting }, certificate);
  const api = new ApiStack(platform, { table, hosting, builds, login, billing, doors });
  new DashboardApiStack(platform, api);
  const ai = new AiStack(platform, { table, hosting, api, login });
  const delivery = new DeliveryStack(platform, table, hosting);
  const panel = new HostingStack(platform, table, hosting);
  const databases = new DatabasesStack(platform, table);
  const domains = new DomainsStack(platform, table);
  new StreamStack(platform, { table, hosting, deployments, delivery, panel, databases, domains, doors, billing });
  new SchedulesStack(platform, { table, deployments, delivery, panel, databases, domains, doors, billing });
  new EdgeStack(platform, { api, ai, hosting, login }, certificate);
  new OperationsStack(platform, table, api);
  return app;
}
