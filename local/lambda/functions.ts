import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkVariable } from '../../runtime/config.ts';
import { UserError } from '../data-directory.ts';
import { isObject, type JsonObject } from '../template/intrinsics.ts';
import { LOCAL_VERSION } from '../template/names.ts';
import type { Resource, Template } from '../template/template.ts';
import type { FunctionSpec } from './pool.ts';

/** Variables of the template that the shell may override. */
const OVERRIDABLE =
  /^(RATE_LIMIT_(SECRET|PUBLIC|ANONYMOUS|LOGIN)|WEBHOOK_RETRY_SCHEDULE|GIT_KNOWN_HOSTS|BUILD_SECONDS|AI_PROVIDER_BASE_URLS|[A-Z]+_API_KEY)$/;

/** Maximum number of execution environments per function, unless the template reserves another number. */
const CONCURRENCY = 64;
/**
 * Maximum number of concurrent invocations in one environment of a function with a streaming URL, as on Lambda's managed instances
 * (docs/decisions/0063-ai-on-managed-instances.md): calls that wait for their provider must not use up the environments. The number is
 * lower than on AWS, so that many calls use several threads.
 */
const STREAMS_PER_ENVIRONMENT = 100;

/** Maximum value of BUILD_SECONDS: a day. */
const MAX_BUILD_SECONDS = 86_400;

/** Throws an error that names the variable if its value is invalid. */
function checkOverride(name: string, value: string): void {
  checkVariable(name, value);
  if (name !== 'BUILD_SECONDS' || (/^[1-9]\d*$/.test(value) && Number(value) <= MAX_BUILD_SECONDS)) return;
  throw new Error(`BUILD_SECONDS must be a whole number of seconds from 1 to ${MAX_BUILD_SECONDS}, not ${value}`);
}

/**
 * Returns the variables of the shell that override the template's. Ignores empty ones. Throws a user error for an invalid value.
 */
export function shellOverrides(shell: NodeJS.ProcessEnv): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const [name, value] of Object.entries(shell)) {
    if (!value || !OVERRIDABLE.test(name)) continue;
    try {
      checkOverride(name, value);
    } catch (error) {
      throw new UserError(error instanceof Error ? error.message : String(error));
    }
    overrides[name] = value;
  }
  return overrides;
}

export interface FunctionsOptions {
  /** Variables that Lambda provides to every function: region, endpoints. */
  environment: Record<string, string>;
  /** Returns the variables with the credentials of a function's role, which Lambda provides too. */
  credentials: (role: string, functionArn: string) => Record<string, string>;
  /** Values that replace the template's variables of the same name; others are ignored. */
  overrides: Record<string, string>;
}

const child = (value: JsonObject, key: string): JsonObject => {
  const found = value[key];
  return isObject(found) ? found : {};
};

/** Returns a function's bundle: the file in the asset's directory that the handler names. */
function bundleOf({ name, properties }: Resource, template: Template): { file: string; handler: string } {
  const [path = 'index', handler = 'handler'] = String(properties.Handler ?? 'index.handler').split('.');
  const directory = template.asset(String(child(properties, 'Code').S3Key ?? ''));
  if (!directory) throw new Error(`The function ${name} has no asset in the assembly`);
  const file = ['mjs', 'js', 'cjs'].map((extension) => join(directory, `${path}.${extension}`)).find(existsSync);
  if (!file) throw new Error(`the function ${name} has no ${path}.mjs in ${directory}`);
  return { file, handler };
}

/**
 * Returns the template's functions for the pool, without those of CDK (custom resources with inline code or another runtime).
 */
export function functionsOf(
  template: Template,
  { environment, credentials, overrides }: FunctionsOptions,
): (FunctionSpec & { role: string })[] {
  const qualified = template.resources('AWS::Lambda::Alias').map(({ name }) => name);
  const streaming = template
    .resources('AWS::Lambda::Url')
    .filter(({ properties }) => properties.InvokeMode === 'RESPONSE_STREAM')
    .map(({ properties }) => String(properties.TargetFunctionArn));
  const requested = [
    ...template
      .resources('AWS::ApiGatewayV2::Integration')
      .map(({ properties }) => /arn:aws:lambda:[^/]+/.exec(String(properties.IntegrationUri))?.[0] ?? ''),
    ...streaming,
  ];
  return template
    .resources('AWS::Lambda::Function')
    .filter((resource) => resource.properties.FunctionName !== undefined)
    .map((resource) => {
      const { name, arn, properties } = resource;
      const aliases = qualified.flatMap((each) => (each.startsWith(`${name}:`) ? [each.slice(name.length + 1)] : []));
      const variables: Record<string, string> = {};
      for (const [key, value] of Object.entries(child(child(properties, 'Environment'), 'Variables'))) {
        variables[key] = overrides[key] ?? String(value);
      }
      const memory = Number(properties.MemorySize ?? 128);
      const role = String(properties.Role);
      return {
        name,
        arn,
        aliases,
        role,
        ...bundleOf(resource, template),
        environment: {
          ...environment,
          ...credentials(role, arn),
          AWS_LAMBDA_FUNCTION_NAME: name,
          AWS_LAMBDA_FUNCTION_VERSION: aliases.length > 0 ? LOCAL_VERSION : '$LATEST',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
          TZ: ':UTC',
          ...variables,
        },
        timeoutMs: Number(properties.Timeout ?? 3) * 1000,
        memory,
        isRequested: requested.some((target) => `${target}:`.startsWith(`${arn}:`)),
        concurrency: Math.max(1, Number(properties.ReservedConcurrentExecutions ?? CONCURRENCY)),
        invocationsPerEnvironment: streaming.includes(arn) ? STREAMS_PER_ENVIRONMENT : 1,
      };
    });
}

/** Returns the function of a source file, such as `operator/createAccount`. */
export function functionNamed(functions: readonly FunctionSpec[], source: string): FunctionSpec {
  const found = functions.find(({ file }) => file.replaceAll('\\', '/').includes(`/${source}/`));
  if (!found) throw new Error(`The template has no function ${source}`);
  return found;
}
