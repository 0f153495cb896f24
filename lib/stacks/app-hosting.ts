import { type ICachePolicy, KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { AccountPrincipal, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { cellsOf } from '../cells.ts';
import { createAppCache } from '../constructs/app-cache.ts';
import { appRights, customerRights } from '../constructs/app-rights.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { ignoreEmbeddedMetrics } from '../constructs/logs.ts';
import { dataRemoval } from '../constructs/retention.ts';
import { explainWildcards, policyOf, type Right, type Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/**
 * Resources that hosted applications share: the key that encrypts their variables, their role, and the routes of their host names.
 */
export class AppHostingStack extends PlatformStack {
  readonly routes: KeyValueStore;
  /** Caches applications' static files at the edge. */
  readonly staticFiles: ICachePolicy;
  /** Encrypts and decrypts an application's environment variables. */
  readonly seal: Use;
  /** Encrypts and decrypts the key of the synthetic checks. */
  readonly checksKey: Use;
  /** Encrypts the signing secrets of webhook endpoints; `sign` decrypts them. */
  readonly createSigningSecret: Use;
  readonly sign: Use;
  /** Decrypts and encrypts the API tokens of hosting servers. */
  readonly openServerTokens: Use;
  readonly sealServerTokens: Use;
  /** Decrypts an application's environment variables for a build. */
  readonly unseal: Use;
  /** Encrypts an application's hook secret and its deploy key. */
  readonly createHookSecret: Use;
  readonly createDeployKey: Use;
  /** Decrypts an application's hook secret, which verifies push webhooks. */
  readonly openHookSecret: Use;
  /** Decrypts an application's deploy key for a build. */
  readonly openDeployKey: Use;
  /** Decrypts and encrypts the AI provider keys that customers stored. */
  readonly openProviderKeys: Use;
  readonly sealProviderKeys: Use;
  /** Creates releases: the application's function, its code and its versions. */
  readonly release: Use;
  /** Reads applications' logs. */
  readonly readLogs: Use;
  /** Reads applications' metrics. */
  readonly readMetrics: Use;
  /** Queries Lambda's reports in applications' logs. */
  readonly queryLogs: Use;
  /** Invokes a release to check its health. */
  readonly check: Use;
  /** Switches traffic: changes the alias, its function URL and the route. */
  readonly switch: Use;
  /** Opens and closes an application's function URL. */
  readonly access: Use;
  /** Removes releases that are no longer kept. */
  readonly prune: Use;
  /** Removes an application's function, logs and routes. */
  readonly remove: Use;
  /** Writes the routes of host names. */
  readonly route: Use;
  /** Measures the free capacity for applications. */
  readonly measureCapacity: Use;
  /** Measures the usage of the account's quotas and of the route store, and deletes unused certificates. */
  readonly measureQuotas: Use;

  constructor(platform: Platform) {
    super(platform, 'app-hosting', 'Shared resources of hosted applications: encryption key, role, routes');
    const { config, names } = platform;
    const apps = `${names.appFunctions.arnPrefix}*`;

    const key = new Key(this, 'Secrets', {
      alias: `${config.prefix}-secrets`,
      description: 'Encrypts variables, provider keys and signing secrets, each under its own encryption context',
      enableKeyRotation: true,
      removalPolicy: dataRemoval(config),
    });
    this.routes = new KeyValueStore(this, 'Routes', {
      keyValueStoreName: names.global('routes'),
      comment: 'Host name of an application → host of its function and its release, or "placeholder"',
    });
    this.staticFiles = createAppCache(this, names.global('static-files'));

    // One policy for all logs of the region, because an account may have only a few of these policies.
    const builds = config.buildRegion === config.region ? [names.buildLogs.name] : [];
    const written = [names.appFunctions.logPrefix, names.accessLog, ...builds];
    ignoreEmbeddedMetrics(this, names.global('no-metrics'), written);

    const customer = [...customerRights(names, { on: [key.keyArn] }), databaseUses(platform).connect];
    const role = new Role(this, 'AppRole', {
      roleName: names.appRole.name,
      description:
        'Permissions of customer code: decrypt its own variables, write its own log, connect to its own databases',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { own: policyOf(customer) },
    });
    explainWildcards(role, customer);

    const cells = cellsOf(config);
    const appsInCells = cells.map((cell) => `${cell.names.appFunctions.arnPrefix}*`);
    const anyApp = appsInCells.length > 0 ? [apps, ...appsInCells] : apps;
    const underAnApp = { StringLike: { 'kms:EncryptionContext:application': anyApp } };
    for (const { config: cellConfig, names: cellNames } of cells) {
      key.addToResourcePolicy(
        new PolicyStatement({
          // Applications in the cell decrypt their own variables. Their role in the cell restricts each function to its own.
          principals: [new AccountPrincipal(cellConfig.account ?? '')],
          actions: ['kms:Decrypt'],
          resources: ['*'],
          conditions: {
            StringLike: { 'kms:EncryptionContext:application': `${cellNames.appFunctions.arnPrefix}*` },
            ArnEquals: { 'aws:PrincipalArn': cellNames.appRole.arn },
          },
        }),
      );
    }
    const secrets = { SECRETS_KEY_ARN: key.keyArn };
    const underAWebhook = { StringLike: { 'kms:EncryptionContext:webhook': 'whk_*' } };
    this.createSigningSecret = {
      variables: secrets,
      rights: [{ actions: ['kms:GenerateDataKey'], on: [key.keyArn], when: underAWebhook }],
    };
    this.sign = { variables: secrets, rights: [{ actions: ['kms:Decrypt'], on: [key.keyArn], when: underAWebhook }] };
    this.seal = {
      variables: secrets,
      rights: [{ actions: ['kms:GenerateDataKey', 'kms:Decrypt'], on: [key.keyArn], when: underAnApp }],
    };
    this.unseal = { variables: secrets, rights: [{ actions: ['kms:Decrypt'], on: [key.keyArn], when: underAnApp }] };

    const forGit = (kind: 'gitHook' | 'deployKey', action: string): Right => ({
      actions: [`kms:${action}`],
      on: [key.keyArn],
      when: { StringLike: { [`kms:EncryptionContext:${kind}`]: 'app_*' } },
    });
    this.createHookSecret = { variables: secrets, rights: [forGit('gitHook', 'GenerateDataKey')] };
    this.createDeployKey = { variables: secrets, rights: [forGit('deployKey', 'GenerateDataKey')] };
    this.openDeployKey = { rights: [forGit('deployKey', 'Decrypt')] };
    this.openHookSecret = { variables: secrets, rights: [forGit('gitHook', 'Decrypt')] };

    this.checksKey = {
      variables: secrets,
      rights: [
        {
          actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
          on: [key.keyArn],
          when: { StringEquals: { 'kms:EncryptionContext:checks': 'secretKey' } },
        },
      ],
    };

    // Each kind of secret has its own encryption context, so that a permission for one kind cannot decrypt another.
    const underAnAccount = { StringLike: { 'kms:EncryptionContext:providerKeyOf': 'acc_*' } };
    const providerKeys = (...actions: string[]): Use => ({
      variables: secrets,
      rights: [{ actions: actions.map((action) => `kms:${action}`), on: [key.keyArn], when: underAnAccount }],
    });
    this.openProviderKeys = providerKeys('Decrypt');
    this.sealProviderKeys = providerKeys('GenerateDataKey');

    const underAServer = { StringLike: { 'kms:EncryptionContext:hostingServer': '*' } };
    const serverTokens = (action: string): Use => ({
      variables: secrets,
      rights: [{ actions: [`kms:${action}`], on: [key.keyArn], when: underAServer }],
    });
    this.openServerTokens = serverTokens('Decrypt');
    this.sealServerTokens = serverTokens('GenerateDataKey');

    // The binding of the app host (runtime/bindings/app-host.ts) reads all three variables.
    const functions = {
      APP_FUNCTION_PREFIX: names.appFunctions.prefix,
      APP_FUNCTION_ROLE_ARN: names.appRole.arn,
      APP_ADAPTER_LAYER_ARN: names.appAdapterLayer,
    };
    type AppRights = ReturnType<typeof appRights>;
    const homeRights = appRights({ names, routesArn: this.routes.keyValueStoreArn });
    const use = (name: keyof AppRights, variables: Record<string, string> = {}): Use => ({
      variables,
      rights: homeRights[name],
      inCells: (cell) => appRights(cell)[name],
    });
    const prefix = { APP_FUNCTION_PREFIX: names.appFunctions.prefix };
    const routes = { APP_ROUTES_ARN: this.routes.keyValueStoreArn };
    this.readLogs = use('readLogs', prefix);
    this.readMetrics = use('readMetrics', prefix);
    this.queryLogs = use('queryLogs', prefix);
    this.release = use('release', functions);
    this.check = use('check', functions);
    this.route = use('route', routes);
    this.switch = use('switch', { ...functions, ...routes });
    this.access = use('access', prefix);
    this.measureCapacity = use('measureCapacity');
    this.measureQuotas = use('measureQuotas', routes);
    this.prune = use('prune', functions);
    this.remove = use('remove', { ...functions, ...routes });
  }
}
