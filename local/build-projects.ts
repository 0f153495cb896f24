import { isObject } from './intrinsics.ts';
import type { CodeBuildProject } from './stand-ins/code-build.ts';
import type { Template } from './template.ts';

/**
 * The template's CodeBuild projects, their source being an asset.
 * @param overrides replace variables of the same name that the template has
 */
export function buildProjectsOf(template: Template, overrides: Record<string, string>): CodeBuildProject[] {
  return template.resources('AWS::CodeBuild::Project').map(({ name, properties }) => {
    const source = isObject(properties.Source) ? properties.Source : {};
    const environment = isObject(properties.Environment) ? properties.Environment.EnvironmentVariables : [];
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
      timeoutMinutes: properties.TimeoutInMinutes === undefined ? undefined : Number(properties.TimeoutInMinutes),
    };
  });
}
