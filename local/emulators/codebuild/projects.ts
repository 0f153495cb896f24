import { isObject } from '../../template/intrinsics.ts';
import type { Template } from '../../template/template.ts';
import type { CodeBuildProject } from './codebuild.ts';

/** What CodeBuild's containers on ARM have in memory, in megabytes. */
const MEMORY_MB: Record<string, number> = {
  BUILD_GENERAL1_SMALL: 4 * 1024,
  BUILD_GENERAL1_MEDIUM: 8 * 1024,
  BUILD_GENERAL1_LARGE: 16 * 1024,
};

/**
 * The template's CodeBuild projects, their source being an asset.
 * @param overrides replace variables of the same name that the template has
 */
export function buildProjectsOf(template: Template, overrides: Record<string, string>): CodeBuildProject[] {
  return template.resources('AWS::CodeBuild::Project').map(({ name, properties }) => {
    const source = isObject(properties.Source) ? properties.Source : {};
    const { EnvironmentVariables: environment, ComputeType } = isObject(properties.Environment)
      ? properties.Environment
      : {};
    const memoryMb = MEMORY_MB[String(ComputeType)];
    if (memoryMb === undefined) throw new Error(`the build project ${name} has a compute type that is not known here`);
    const key = String(source.Location ?? '').replace(/^[^/]*\//, '');
    const sourceDir = template.asset(key);
    if (!sourceDir) throw new Error(`the source of the build project ${name} is not an asset`);
    const variables = (Array.isArray(environment) ? environment : []).filter(isObject);
    return {
      name,
      buildspec: String(source.BuildSpec),
      environment: Object.fromEntries(
        variables.map(({ Name, Value }) => [String(Name), overrides[String(Name)] ?? String(Value)]),
      ),
      sourceDir,
      memoryMb,
      timeoutMinutes: properties.TimeoutInMinutes === undefined ? undefined : Number(properties.TimeoutInMinutes),
    };
  });
}
