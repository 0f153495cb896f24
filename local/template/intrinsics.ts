/** Any JSON value of a template, event or state. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the objects of a list; none for any other value. */
export const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The values to which a template's intrinsic functions may refer. */
export interface Scope {
  ref(name: string): Json;
  attribute(logicalId: string, name: string): Json;
  importValue(name: string): Json;
  /** Returns an output of another stack, which may be in another region. */
  stackOutput(stackName: string, outputName: string): Json;
  mapping(map: string, first: string, second: string): Json;
  region: string;
}

const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const list = (value: Json): Json[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`The template must have a list here, not ${JSON.stringify(value)}`);
};

/** The intrinsic functions that the stacks use. They receive their arguments resolved. */
const FUNCTIONS: Record<string, (argument: Json, scope: Scope) => Json> = {
  Ref: (argument, scope) => scope.ref(text(argument)),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId = '', ...path] = Array.isArray(argument) ? argument.map(text) : text(argument).split('.');
    return scope.attribute(logicalId, path.join('.'));
  },
  'Fn::Join': (argument) => {
    const [separator = '', parts = []] = list(argument);
    return list(parts).map(text).join(text(separator));
  },
  'Fn::Select': (argument) => {
    const [index = 0, values = []] = list(argument);
    return list(values)[Number(index)] ?? null;
  },
  'Fn::Split': (argument) => {
    const [separator = '', value = ''] = list(argument);
    return text(value).split(text(separator));
  },
  'Fn::Sub': (argument, scope) => text(argument).replace(/\$\{([^}]+)\}/g, (_, name: string) => text(scope.ref(name))),
  'Fn::GetAZs': (_, scope) => ['a', 'b', 'c'].map((zone) => scope.region + zone),
  'Fn::ImportValue': (argument, scope) => scope.importValue(text(argument)),
  'Fn::GetStackOutput': (argument, scope) => {
    const { StackName = '', OutputName = '' } = isObject(argument) ? argument : {};
    return scope.stackOutput(text(StackName), text(OutputName));
  },
  'Fn::FindInMap': (argument, scope) => {
    const [map = '', first = '', second = ''] = list(argument).map(text);
    return scope.mapping(map, first, second);
  },
};

/** Replaces every intrinsic function in a value by its result. */
export function resolveJson(value: Json, scope: Scope): Json {
  if (Array.isArray(value)) return value.map((item) => resolveJson(item, scope));
  if (!isObject(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key !== undefined && others.length === 0 && (key === 'Ref' || key.startsWith('Fn::'))) {
    const intrinsic = FUNCTIONS[key];
    if (!intrinsic) throw new Error(`The local run does not support the intrinsic function ${key}`);
    return intrinsic(resolveJson(value[key] ?? null, scope), scope);
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolveJson(item, scope)]));
}
