import { readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import { isObject, type Json, type JsonObject, resolveJson, type Scope } from './intrinsics.ts';
import { type AwsLocation, type Names, nameResource } from './names.ts';

/** A resource of a synthesized stack with every reference resolved to its local value. */
export interface Resource {
  type: string;
  stack: string;
  /** The AWS account of its stack. */
  account: string;
  logicalId: string;
  name: string;
  arn: string;
  /** The value of `Ref`. */
  ref: string;
  readonly properties: JsonObject;
}

/** All resources of a cloud assembly's stacks. */
export interface Template {
  resources(type: string): Resource[];
  /** Returns the resource with this ARN. The ARN of a version or an alias returns its function. */
  byArn(arn: string): Resource | undefined;
  /** Returns the directory or file of an asset, by its key in the assets bucket. */
  asset(objectKey: string): string | undefined;
  /** Returns an output of a stack. Throws if it does not exist. */
  output(stackName: string, outputName: string): Json;
}

const readJson = (file: string): JsonObject => {
  const parsed: Json = JSON.parse(readFileSync(file, 'utf8'));
  if (!isObject(parsed)) throw new Error(`${file} does not contain a JSON object`);
  return parsed;
};
const child = (value: Json | undefined, key: string): JsonObject => {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
};
/** Returns those members of an object that are objects, with their names. */
const children = (value: Json | undefined, key: string): [name: string, value: JsonObject][] =>
  Object.entries(child(value, key)).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
const string = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

interface Stack {
  name: string;
  template: JsonObject;
  location: AwsLocation;
  resources: Map<string, { resource: Resource; names: Names }>;
  scope: Scope;
}

/** Returns the account and region of `aws://<account>/<region>`, as far as they are known. */
function locationOf(environment: string | undefined): Partial<Pick<AwsLocation, 'account' | 'region'>> {
  const [, account, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(environment ?? '') ?? [];
  return {
    ...(account && account !== 'unknown-account' ? { account } : {}),
    ...(region && region !== 'unknown-region' ? { region } : {}),
  };
}

/** Returns the object keys of a manifest's assets, with the paths of their sources. */
const assetsOf = (manifest: JsonObject): [objectKey: string, path: string][] =>
  children(manifest, 'files').flatMap(([, file]) => {
    const path = string(child(file, 'source').path);
    return children(file, 'destinations').flatMap(([, { objectKey }]): [string, string][] =>
      typeof objectKey === 'string' && path ? [[objectKey, path]] : [],
    );
  });

/** Reads every stack's template and every asset of an assembly, including nested assemblies (stages). */
function readAssembly(directory: string, location: AwsLocation, stacks: Stack[], assets: Map<string, string>): void {
  for (const [id, artifact] of children(readJson(join(directory, 'manifest.json')), 'artifacts')) {
    const properties = child(artifact, 'properties');
    const pathOf = (property: string): string => join(directory, string(properties[property]) ?? '');
    if (artifact.type === 'cdk:cloud-assembly') {
      readAssembly(join(directory, string(properties.directoryName) ?? id), location, stacks, assets);
    } else if (artifact.type === 'cdk:asset-manifest') {
      for (const [key, path] of assetsOf(readJson(pathOf('file')))) assets.set(key, resolvePath(directory, path));
    } else if (artifact.type === 'aws:cloudformation:stack') {
      const stackLocation = { ...location, ...locationOf(string(artifact.environment)) };
      const template = readJson(pathOf('templateFile'));
      stacks.push(createStack(string(properties.stackName) ?? id, template, stackLocation, stacks));
    }
  }
}

function createStack(name: string, template: JsonObject, location: AwsLocation, stacks: readonly Stack[]): Stack {
  if (template.Conditions) throw new Error(`The stack ${name} has conditions, which the local run does not support`);
  const parameters = child(template, 'Parameters');
  const pseudo: Record<string, string> = {
    'AWS::AccountId': location.account,
    'AWS::Region': location.region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': name,
    'AWS::StackId': `arn:aws:cloudformation:${location.region}:${location.account}:stack/${name}/local`,
  };
  const resources: Stack['resources'] = new Map();
  const resource = (logicalId: string) => {
    const found = resources.get(logicalId);
    if (!found) throw new Error(`The stack ${name} refers to ${logicalId}, which it does not have`);
    return found;
  };
  const scope: Scope = {
    region: location.region,
    ref: (id) => pseudo[id] ?? child(parameters, id).Default ?? resource(id).names.ref,
    attribute: (id, attribute) => resource(id).names.attribute(attribute),
    importValue: (id) => {
      for (const { template: other, scope: otherScope } of stacks) {
        for (const [, output] of children(other, 'Outputs')) {
          const exported = child(output, 'Export').Name;
          if (exported === undefined || resolveJson(exported, otherScope) !== id) continue;
          return resolveJson(output.Value ?? null, otherScope);
        }
      }
      throw new Error(`The stack ${name} imports ${id}, which no stack exports`);
    },
    stackOutput: (stackName, outputName) => readOutput(stacks, stackName, outputName),
    mapping: (map, first, second) => {
      const value = child(child(child(template, 'Mappings'), map), first)[second];
      if (value === undefined) throw new Error(`The stack ${name} has no mapping ${map}.${first}.${second}`);
      return value;
    },
  };
  for (const [logicalId, definition] of children(template, 'Resources')) {
    resources.set(logicalId, createResource(name, logicalId, definition, location, scope));
  }
  return { name, template, location, resources, scope };
}

function readOutput(stacks: readonly Stack[], stackName: string, outputName: string): Json {
  const stack = stacks.find((each) => each.name === stackName);
  const value = stack && child(child(stack.template, 'Outputs'), outputName).Value;
  if (!stack || value === undefined) throw new Error(`The stack ${stackName} has no output ${outputName}`);
  return resolveJson(value, stack.scope);
}

function createResource(stack: string, logicalId: string, definition: JsonObject, location: AwsLocation, scope: Scope) {
  const type = string(definition.Type) ?? '';
  const raw = child(definition, 'Properties');
  let names: Names | undefined;
  let properties: JsonObject | undefined;
  // Names and properties are computed on demand, after all stacks are read, because stacks refer to each other in any order.
  const namesOf = (): Names => {
    names ??= nameResource(type, stack, logicalId, location, (property) => {
      const value = raw[property];
      return value === undefined ? undefined : string(resolveJson(value, scope));
    });
    return names;
  };
  const resource: Resource = {
    type,
    stack,
    account: location.account,
    logicalId,
    get name() {
      return namesOf().name;
    },
    get arn() {
      return namesOf().arn;
    },
    get ref() {
      return namesOf().ref;
    },
    get properties() {
      if (!properties) {
        const resolved = resolveJson(raw, scope);
        properties = isObject(resolved) ? resolved : {};
      }
      return properties;
    },
  };
  return {
    resource,
    get names() {
      return namesOf();
    },
  };
}

/** Reads a cloud assembly (`cdk.out`). @param location local addresses, and the account and region of stacks that set none */
export function readTemplate(assembly: string, location: AwsLocation): Template {
  const stacks: Stack[] = [];
  const assets = new Map<string, string>();
  readAssembly(assembly, location, stacks, assets);
  const all = stacks.flatMap((stack) => [...stack.resources.values()].map(({ resource }) => resource));
  const arns = new Map<string, Resource>();
  return {
    resources: (type) => all.filter((resource) => resource.type === type),
    byArn: (arn) => {
      if (arns.size === 0) for (const resource of all) arns.set(resource.arn, resource);
      const functionArn = /^arn:aws:lambda:[^:]+:[^:]+:function:[^:]+/.exec(arn)?.[0];
      return arns.get(functionArn ?? arn);
    },
    asset: (objectKey) => assets.get(objectKey),
    output: (stackName, outputName) => readOutput(stacks, stackName, outputName),
  };
}
