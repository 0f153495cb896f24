import { KeyValueStore } from 'aws-cdk-lib/aws-cloudfront';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { databaseUses } from '../constructs/database-rights.ts';
import { explainWildcards, policyOf, type Right, type Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** Applications of any customer: why rights on them end in a wildcard. */
const ANY_APP = 'applications come and go; all of them, and nothing else, have this prefix';

/** What hosted applications share: the key their variables are sealed under, their role, and the routes by host name. */
export class AppHostingStack extends PlatformStack {
  readonly routes: KeyValueStore;
  /** Sealing an application's variables and opening them again. */
  readonly seal: Use;
  /** Sealing the signing secrets of webhook endpoints, and opening them to sign. */
  readonly makeSigning: Use;
  readonly sign: Use;
  /** Opening the API tokens of hosting servers, and sealing them. */
  readonly openServerTokens: Use;
  readonly sealServerTokens: Use;
  /** Opening them for a build. */
  readonly unseal: Use;
  /** Sealing the secret that an application's hooks are signed with, and its deploy key. */
  readonly makeHookSecret: Use;
  readonly makeDeployKey: Use;
  /** Opening the secret that its hooks are signed with. */
  readonly openHookSecret: Use;
  /** Opening its deploy key, for a build. */
  readonly openDeployKey: Use;
  /** Opening the keys that callers have saved for AI providers, and sealing them. */
  readonly openProviderKeys: Use;
  readonly sealProviderKeys: Use;
  /** Making releases: the function, its code, its versions. */
  readonly release: Use;
  /** Reading what applications print. */
  readonly readLogs: Use;
  /** Asking a release whether it works. */
  readonly check: Use;
  /** Moving traffic: the alias, its address and the route. */
  readonly switch: Use;
  /** Removing releases that are not kept. */
  readonly prune: Use;
  /** Removing all of it. */
  readonly remove: Use;
  /** Pointing a host name somewhere. */
  readonly route: Use;

  constructor(platform: Platform) {
    super(platform, 'app-hosting', 'What hosted applications share: key, role, routes');
    const { config, names } = platform;
    const apps = `${names.appFunctions.arnPrefix}*`;

    const key = new Key(this, 'Secrets', {
      alias: `${config.prefix}-secrets`,
      description: 'Seals variables, provider keys and signing secrets, each under its own encryption context',
      enableKeyRotation: true,
      removalPolicy: config.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.routes = new KeyValueStore(this, 'Routes', {
      keyValueStoreName: `${config.prefix}-routes`,
      comment: 'Host name of an application → host of its function, or "placeholder"',
    });

    const appRights: Right[] = [
      {
        actions: ['kms:Decrypt'],
        on: [key.keyArn],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM fills it in with the ARN of the function that asks
        when: { StringEquals: { 'kms:EncryptionContext:application': '${lambda:SourceFunctionArn}' } },
      },
      {
        actions: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
        on: [names.appFunctions.logs],
        wildcard: ANY_APP,
      },
      databaseUses(platform).connect,
    ];
    const role = new Role(this, 'AppRole', {
      roleName: names.appRole.name,
      description:
        'What the code of customers may do: open its own variables, write its own log, connect to its own databases',
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { own: policyOf(appRights) },
    });
    explainWildcards(role, appRights);

    const underAnApp = { StringLike: { 'kms:EncryptionContext:application': apps } };
    const secrets = { SECRETS_KEY_ARN: key.keyArn };
    const underAWebhook = { StringLike: { 'kms:EncryptionContext:webhook': 'whk_*' } };
    this.makeSigning = {
      variables: secrets,
      rights: [{ actions: ['kms:GenerateDataKey'], on: [key.keyArn], when: underAWebhook }],
    };
    this.sign = { variables: secrets, rights: [{ actions: ['kms:Decrypt'], on: [key.keyArn], when: underAWebhook }] };
    this.seal = {
      variables: secrets,
      rights: [{ actions: ['kms:GenerateDataKey', 'kms:Decrypt'], on: [key.keyArn], when: underAnApp }],
    };
    this.unseal = { rights: [{ actions: ['kms:Decrypt'], on: [key.keyArn], when: underAnApp }] };

    const forGit = (what: 'gitHook' | 'deployKey', action: string): Right => ({
      actions: [`kms:${action}`],
      on: [key.keyArn],
      when: { StringLike: { [`kms:EncryptionContext:${what}`]: 'app_*' } },
    });
    this.makeHookSecret = { variables: secrets, rights: [forGit('gitHook', 'GenerateDataKey')] };
    this.makeDeployKey = { variables: secrets, rights: [forGit('deployKey', 'GenerateDataKey')] };
    this.openDeployKey = { rights: [forGit('deployKey', 'Decrypt')] };
    this.openHookSecret = { variables: secrets, rights: [forGit('gitHook', 'Decrypt')] };

    // Another context, so that neither opens what is the other's.
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

    // One module of the code speaks of applications' functions (runtime/bindings/app-host.ts) and wants all three names.
    const functions = {
      APP_FUNCTION_PREFIX: names.appFunctions.prefix,
      APP_FUNCTION_ROLE_ARN: names.appRole.arn,
      APP_ADAPTER_LAYER_ARN: names.appAdapterLayer,
    };
    const onApps = (...actions: string[]): Use => ({
      variables: functions,
      rights: [{ actions: actions.map((action) => `lambda:${action}`), on: [apps], wildcard: ANY_APP }],
    });
    const onLogs = (...actions: string[]): Right[] => [
      { actions: actions.map((action) => `logs:${action}`), on: [names.appFunctions.logs], wildcard: ANY_APP },
    ];
    this.readLogs = {
      variables: { APP_FUNCTION_PREFIX: names.appFunctions.prefix },
      rights: onLogs('FilterLogEvents'),
    };
    this.release = merge(
      onApps(
        'GetFunction',
        'GetFunctionConfiguration',
        'CreateFunction',
        'UpdateFunctionCode',
        'UpdateFunctionConfiguration',
        'PublishVersion',
        // Of an application that was deleted while its release was made.
        'DeleteFunction',
      ),
      {
        rights: [
          { actions: ['lambda:GetLayerVersion'], on: [names.appAdapterLayer] },
          ...onLogs('CreateLogGroup', 'PutRetentionPolicy'),
          {
            actions: ['iam:PassRole'],
            on: [names.appRole.arn],
            when: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
          },
        ],
      },
    );
    this.check = onApps('InvokeFunction');
    this.route = {
      variables: { APP_ROUTES_ARN: this.routes.keyValueStoreArn },
      rights: [
        {
          actions: ['DescribeKeyValueStore', 'GetKey', 'UpdateKeys'].map(
            (action) => `cloudfront-keyvaluestore:${action}`,
          ),
          on: [this.routes.keyValueStoreArn],
        },
      ],
    };
    this.switch = merge(
      onApps(
        'GetAlias',
        'CreateAlias',
        'UpdateAlias',
        'GetFunctionUrlConfig',
        'CreateFunctionUrlConfig',
        'AddPermission',
      ),
      this.route,
    );
    this.prune = onApps('DeleteFunction');
    this.remove = merge(onApps('DeleteFunction'), { rights: onLogs('DeleteLogGroup') }, this.route);
  }
}

/** Several uses as one. */
function merge(...uses: Use[]): Use {
  return {
    variables: Object.assign({}, ...uses.map(({ variables }) => variables)),
    rights: uses.flatMap(({ rights = [] }) => rights),
  };
}
