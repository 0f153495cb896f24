import { ACCOUNT, BUILD_REGION } from '../../addresses.ts';
import type { Access } from '../../iam/authorizer.ts';
import { arnIn } from '../../iam/operations/operation.ts';
import { isObject } from '../../template/intrinsics.ts';
import type { Template } from '../../template/template.ts';
import type { CodeBuildProject } from './build-queue.ts';

/** Memory of CodeBuild's ARM containers in MiB. */
const MEMORY_MB: Record<string, number> = {
  BUILD_GENERAL1_SMALL: 4 * 1024,
  BUILD_GENERAL1_MEDIUM: 8 * 1024,
  BUILD_GENERAL1_LARGE: 16 * 1024,
};

const minutes = (value: unknown) => (value === undefined ? undefined : Number(value));

/**
 * Returns the rights that a project's service role needs to fetch the source and to write the log
 * (https://docs.aws.amazon.com/codebuild/latest/userguide/setting-up-service-role.html).
 */
function requiredAccessOf(project: string, source: string): Access[] {
  const bucket = `arn:aws:s3:::${source.split('/')[0]}`;
  const stream = arnIn({ account: ACCOUNT, region: BUILD_REGION })(
    'logs',
    `log-group:/aws/codebuild/${project}:log-stream:local`,
  );
  return [
    ...['GetBucketLocation', 'GetBucketAcl'].map((action) => ({ action: `s3:${action}`, resource: bucket })),
    ...['GetObject', 'GetObjectVersion'].map((action) => ({
      action: `s3:${action}`,
      resource: `arn:aws:s3:::${source}`,
    })),
    ...['CreateLogStream', 'PutLogEvents'].map((action) => ({ action: `logs:${action}`, resource: stream })),
  ];
}

/**
 * Returns the template's CodeBuild projects. Throws if a project's source is not an asset.
 * @param overrides values that replace the template's variables of the same names
 */
export function buildProjectsOf(template: Template, overrides: Record<string, string>): CodeBuildProject[] {
  return template.resources('AWS::CodeBuild::Project').map(({ name, properties }) => {
    const source = isObject(properties.Source) ? properties.Source : {};
    const { EnvironmentVariables: environment, ComputeType } = isObject(properties.Environment)
      ? properties.Environment
      : {};
    const memoryMb = MEMORY_MB[String(ComputeType)];
    if (memoryMb === undefined) throw new Error(`The build project ${name} has an unknown compute type`);
    const key = String(source.Location ?? '').replace(/^[^/]*\//, '');
    const sourceDir = template.asset(key);
    if (!sourceDir) throw new Error(`The source of the build project ${name} is not an asset`);
    const variables = (Array.isArray(environment) ? environment : []).filter(isObject);
    return {
      name,
      role: String(properties.ServiceRole),
      requiredAccess: requiredAccessOf(name, String(source.Location)),
      buildspec: String(source.BuildSpec),
      environment: Object.fromEntries(
        variables.map(({ Name, Value }) => [String(Name), overrides[String(Name)] ?? String(Value)]),
      ),
      sourceDir,
      memoryMb,
      timeoutMinutes: minutes(properties.TimeoutInMinutes),
      queuedTimeoutMinutes: minutes(properties.QueuedTimeoutInMinutes),
    };
  });
}
