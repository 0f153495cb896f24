import { FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, Fn, SecretValue, Validations } from 'aws-cdk-lib/core';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { TIMEOUTS_S } from '../../contract/timeouts.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { type ApiStack, CORS } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** The streaming half of the AI gateway: one function that streams its response, which an HTTP API cannot do. */
export class AiStack extends PlatformStack {
  /** Host of the function's URL. The edge sends chat completions to it. */
  readonly urlHost: string;

  constructor(
    platform: Platform,
    { table, hosting, api, login }: { table: TableStack; hosting: AppHostingStack; api: ApiStack; login: LoginStack },
  ) {
    super(platform, 'ai', 'The AI gateway: chat completions, streamed');
    const { config, names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(api);

    const keys = new Secret(this, 'ProviderKeys', {
      secretName: names.providerKeys,
      description:
        'Platform keys for AI providers, by provider id; models of a provider with an empty key are not sold',
      // Created empty; an operator fills it in (docs/runbook.md#provider-key).
      generateSecretString: {
        secretStringTemplate: JSON.stringify(Object.fromEntries(AI_PROVIDER_IDS.map((id) => [id, '']))),
        generateStringKey: 'generated',
        excludePunctuation: true,
      },
    });
    Validations.of(keys).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'the providers create the keys; an operator stores a new one and deploys',
    });
    const keyOf = (id: string) => SecretValue.secretsManager(names.providerKeys, { jsonField: id }).unsafeUnwrap();

    const chat = new PlatformFunction(this, platform, 'ai/chatCompletions', {
      // The description changes with the setting, which makes CloudFormation read the keys again.
      description: `POST /ai/v1/chat/completions, streamed (provider keys ${config.aiKeysVersion})`,
      timeout: TIMEOUTS_S.ai.function,
      uses: [
        table.read,
        table.write,
        hosting.openProviderKeys,
        api.throughTheEdge,
        login.check,
        api.offer,
        {
          variables: {
            AI_PROVIDER_BASE_URLS: '{}',
            ...Object.fromEntries(AI_PROVIDER_IDS.map((id) => [`${id.toUpperCase()}_API_KEY`, keyOf(id)])),
          },
        },
      ],
    });
    chat.node.addDependency(keys);
    const url = chat.lambda.addFunctionUrl({
      // With IAM authorization, clients would have to sign the bodies of POST requests. The function requires the
      // edge's secret instead.
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      cors: {
        allowedOrigins: CORS.allowOrigins,
        allowedMethods: [HttpMethod.POST],
        allowedHeaders: CORS.allowHeaders,
        exposedHeaders: [...CORS.exposeHeaders, ...AI_HEADERS],
        maxAge: Duration.hours(1),
      },
    });
    this.urlHost = Fn.select(2, Fn.split('/', url.url));
  }
}

/** Response headers that the gateway adds. */
const AI_HEADERS = ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms'];
