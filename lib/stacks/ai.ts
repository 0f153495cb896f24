import { FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Duration, Fn, SecretValue, Validations } from 'aws-cdk-lib/core';
import { AI_PROVIDER_IDS } from '../../contract/enums.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { type ApiStack, CORS } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Seconds: a call may take 14 minutes, and has a minute to settle. */
const TIMEOUT = 900;

/** The AI gateway's streaming half: one function that answers byte by byte, which an HTTP API cannot do. */
export class AiStack extends PlatformStack {
  /** Host of the function's URL; the edge sends chat completions there. */
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
      description: 'Our own keys for AI providers, by provider id; an empty one sells nothing of that provider',
      // Made empty; an operator fills it in (docs/runbook.md#provider-key).
      generateSecretString: {
        secretStringTemplate: JSON.stringify(Object.fromEntries(AI_PROVIDER_IDS.map((id) => [id, '']))),
        generateStringKey: 'generated',
        excludePunctuation: true,
      },
    });
    Validations.of(keys).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'the keys are made by the providers; an operator puts a new one in and deploys',
    });
    const keyOf = (id: string) => SecretValue.secretsManager(names.providerKeys, { jsonField: id }).unsafeUnwrap();

    const chat = new PlatformFunction(this, platform, 'ai/chatCompletions', {
      // Its text changes with the setting, and so CloudFormation reads the keys anew.
      description: `POST /ai/v1/chat/completions, streamed (provider keys ${config.aiKeysVersion})`,
      timeout: TIMEOUT,
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
      // Signed requests would make POST clients sign their bodies; the function asks for the edge's secret instead.
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

/** What the gateway adds to its answers. */
const AI_HEADERS = ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms', 'X-Ignored-Parameters'];
