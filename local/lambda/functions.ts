import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkVariable } from '../../runtime/config.ts';
import { Trouble } from '../data-directory.ts';
import { isObject, type JsonObject } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import type { FunctionSpec } from './pool.ts';

/** Variables that the shell may give another value than the template (design, section 6). */
const FROM_THE_SHELL =
  /^(RATE_LIMIT_(SECRET|PUBLIC|ANONYMOUS|LOGIN)|WEBHOOK_RETRY_SCHEDULE|GIT_KNOWN_HOSTS|BUILD_SECONDS|AI_PROVIDER_BASE_URLS|[A-Z]+_API_KEY)$/;

/** Execution environments of one function at once, where the template reserves no other number. */
const CONCURRENCY = 64;

/** The template's variables that the shell overrides; empty ones do not. Throws {@link Trouble} for a value that cannot be. */
export function shellOverrides(shell: NodeJS.ProcessEnv): Record<string, string> {
  const overrides: Record<string, string> = {};
  for (const [name, value] of Object.entries(shell)) {
    if (!value || !FROM_THE_SHELL.test(name)) continue;
    try {
      checkVariable(name, value);
    } catch (error) {
      throw new Trouble(error instanceof Error ? error.message : String(error));
    }
    overrides[name] = value;
  }
  return overrides;
}

export interface FunctionsOptions {
  /** What Lambda itself gives every function here: region, credentials, endpoints. */
  environment: Record<string, string>;
  /** Replace variables of the same name that the template has; the others mean nothing. */
  overrides: Record<string, string>;
}

/** Secrets that CloudFormation would read from Secrets Manager: one random value each, the same for all who ask. */
function dynamicReferences(): (value: string) => string {
  const secrets = new Map<string, string>();
  return (value) =>
    value.replace(/\{\{resolve:[^}]+\}\}/g, (reference) => {
      const secret = secrets.get(reference) ?? randomBytes(20).toString('hex');
      secrets.set(reference, secret);
      return secret;
    });
}

const child = (value: JsonObject, key: string): JsonObject => {
  const found = value[key];
  return isObject(found) ? found : {};
};

/** Where the bundle is: the asset's directory and the file that the handler names. */
function bundleOf({ name, properties }: Resource, template: Template): { file: string; handler: string } {
  const [path = 'index', handler = 'handler'] = String(properties.Handler ?? 'index.handler').split('.');
  const directory = template.asset(String(child(properties, 'Code').S3Key ?? ''));
  if (!directory) throw new Error(`the function ${name} has no asset in the assembly`);
  const file = ['mjs', 'js', 'cjs'].map((extension) => join(directory, `${path}.${extension}`)).find(existsSync);
  if (!file) throw new Error(`the function ${name} has no ${path}.mjs in ${directory}`);
  return { file, handler };
}

/** The template's functions as the pool runs them. CDK's own (custom resources, their code inline or not Node) are left out. */
export function functionsOf(template: Template, { environment, overrides }: FunctionsOptions): FunctionSpec[] {
  const fill = dynamicReferences();
  return template
    .resources('AWS::Lambda::Function')
    .filter((resource) => resource.properties.FunctionName !== undefined)
    .map((resource) => {
      const { name, arn, properties } = resource;
      const variables: Record<string, string> = {};
      for (const [key, value] of Object.entries(child(child(properties, 'Environment'), 'Variables'))) {
        variables[key] = overrides[key] ?? fill(String(value));
      }
      const memory = Number(properties.MemorySize ?? 128);
      return {
        name,
        arn,
        ...bundleOf(resource, template),
        environment: {
          ...environment,
          AWS_LAMBDA_FUNCTION_NAME: name,
          AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
          TZ: ':UTC',
          ...variables,
        },
        timeoutMs: Number(properties.Timeout ?? 3) * 1000,
        memory,
        concurrency: Math.max(1, Number(properties.ReservedConcurrentExecutions ?? CONCURRENCY)),
      };
    });
}

/** The function of a source file: `functionNamed(functions, 'operator/createAccount')`. */
export function functionNamed(functions: readonly FunctionSpec[], source: string): FunctionSpec {
  const found = functions.find(({ file }) => file.replaceAll('\\', '/').includes(`/${source}/`));
  if (!found) throw new Error(`the template has no function ${source}`);
  return found;
}
