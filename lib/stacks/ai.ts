import { FunctionUrlAuthType, HttpMethod, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { CfnOutput, Duration, Fn } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type FunctionNeeds, PlatformFunction } from '../constructs/function.ts';
import { MANAGED_MEMORY_MB, MANAGED_ZONES, ManagedInstances } from '../constructs/managed-instances.ts';
import { createEmptySecret, readsSecret } from '../constructs/secrets.ts';
import { type ApiStack, CORS } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** The streaming part of the AI gateway: one function that streams its response, which an HTTP API cannot do. */
export class AiStack extends PlatformStack {
  /** Host of the function's URL, to which the edge sends chat completions. */
  readonly urlHost: string;
  /** The function that serves chat completions. */
  readonly chat: PlatformFunction;

  constructor(
    platform: Platform,
    {
      table,
      appHosting,
      api,
      login,
    }: { table: TableStack; appHosting: AppHostingStack; api: ApiStack; login: LoginStack },
  ) {
    super(platform, 'ai', 'The AI gateway: chat completions, streamed');
    const { names } = platform;
    this.addStackDependency(table);
    this.addStackDependency(api);

    createEmptySecret(this, 'ProviderKeys', names.providerKeys, {
      description:
        'The platform’s keys for AI providers: a JSON object by provider id; models of a provider without a key are not sold',
      reason: 'the providers create the keys; an operator stores a new one (docs/runbook.md#provider-key)',
    });
    const needs: FunctionNeeds = {
      description: 'POST /ai/v1/chat/completions, streamed',
      timeout: TIMEOUTS_S.ai.function,
      // A call mostly waits for its provider, and memory is billed during that time.
      memory: 512,
      uses: [
        table.read,
        table.write,
        table.putBatch,
        appHosting.openProviderKeys,
        api.throughTheEdge,
        login.check,
        api.offer,
        readsSecret('AI_KEYS_SECRET_NAME', names.providerKeys),
        { variables: { AI_PROVIDER_BASE_URLS: '{}' } },
      ],
    };
    // The on-demand function and its URL also exist with the setting `managed`, because the edge calls it until the edge's stack is updated. The
    // same applies when the setting is changed back.
    const chat = new PlatformFunction(this, platform, 'ai/chatCompletions', needs);
    const urlHost = this.publishHost('ChatHost', chat);
    const managed = platform.config.aiCapacity === 'managed' ? this.onInstances(platform, needs) : undefined;
    this.chat = managed ?? chat;
    this.urlHost = managed ? this.publishHost('ManagedChatHost', managed) : urlHost;
  }

  /** Overrides CDK's lookup of zones in a known account, because a template must not depend on who synthesizes it. */
  override get availabilityZones(): string[] {
    return Array.from({ length: MANAGED_ZONES }, (_, index) => Fn.select(index, Fn.getAzs()));
  }

  /**
   * Creates a function's URL and returns its host for other stacks. It uses an output instead of an export, because an export could not be
   * removed while the edge's stack, which is updated after this stack, still imports it.
   */
  private publishHost(name: string, { live }: PlatformFunction): string {
    const { url } = live.addFunctionUrl({
      // With IAM authorization, clients would have to sign the bodies of POST requests. Instead, the function requires the edge's secret.
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
    const output = new CfnOutput(this, name, { value: Fn.select(2, Fn.split('/', url)) });
    return Fn.getStackOutput(this.stackName, output.logicalId, this.region).toString();
  }

  private onInstances(platform: Platform, needs: FunctionNeeds): PlatformFunction {
    const instances = new ManagedInstances(this, platform);
    return new PlatformFunction(this, platform, 'ai/chatCompletions', {
      ...needs,
      instances,
      memory: MANAGED_MEMORY_MB,
    });
  }
}

/** Response headers that the gateway adds. */
const AI_HEADERS = ['X-Upstream-Latency-Ms', 'X-Gateway-Overhead-Ms'];
