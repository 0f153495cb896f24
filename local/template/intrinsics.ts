/** Any JSON value of a template, event or state. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values to which a template's intrinsic functions may refer. */
export interface Scope {
  ref(name: string): Json;
  attribute(logicalId: string, name: string): Json;
  importValue(name: string): Json;
  /** Returns an output of another stack, which may be in another region. */
  stackOutput(stackName: string, outputName: string): Json;
  condition(name: string): boolean;
  mapping(map: string, first: string, second: string): Json;
  region: string;
}

/** `AWS::NoValue`: the property or element with this value is removed. */
const NO_VALUE: unique symbol = Symbol('AWS::NoValue');
type Resolved = Json | typeof NO_VALUE;

const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const list = (value: Json): Json[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`The template must have a list here, not ${JSON.stringify(value)}`);
};

type Intrinsic = (argument: Json, scope: Scope) => Resolved;

/** Intrinsic functions that receive their arguments resolved. */
const FUNCTIONS: Record<string, Intrinsic> = {
  'Fn::Join': (argument) => {
    const [separator = '', parts = []] = list(argument);
    return list(parts).map(text).join(text(separator));
  },
  'Fn::Select': (argument) => {
    const [index = 0, values = []] = list(argument);
    return list(values)[Number(index)] ?? NO_VALUE;
  },
  'Fn::Split': (argument) => {
    const [separator = '', value = ''] = list(argument);
    return text(value).split(text(separator));
  },
  'Fn::Base64': (argument) => Buffer.from(text(argument)).toString('base64'),
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
  'Fn::Length': (argument) => list(argument).length,
  'Fn::ToJsonString': (argument) => JSON.stringify(argument),
  'Fn::Equals': (argument) => {
    const [left = null, right = null] = list(argument);
    return JSON.stringify(left) === JSON.stringify(right);
  },
  'Fn::And': (argument) => list(argument).every(Boolean),
  'Fn::Or': (argument) => list(argument).some(Boolean),
  'Fn::Not': (argument) => !list(argument)[0],
};

/** Intrinsic functions that receive their arguments unresolved. */
const LAZY_FUNCTIONS: Record<string, Intrinsic> = {
  Ref: (argument, scope) => (argument === 'AWS::NoValue' ? NO_VALUE : scope.ref(text(argument))),
  Condition: (argument, scope) => scope.condition(text(argument)),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId = '', ...path] = Array.isArray(argument) ? argument.map(text) : text(argument).split('.');
    return scope.attribute(logicalId, path.join('.'));
  },
  'Fn::If': (argument, scope) => {
    const [condition = '', yes = null, no = null] = list(argument);
    return resolve(scope.condition(text(condition)) ? yes : no, scope);
  },
  'Fn::Sub': (argument, scope) => {
    const [template = '', given = {}] = Array.isArray(argument) ? argument : [argument];
    const variables = isObject(given) ? given : {};
    return text(template).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      const variable = variables[name];
      if (variable !== undefined) return text(resolveJson(variable, scope));
      const dot = name.indexOf('.');
      return text(dot < 0 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1)));
    });
  },
};

const resolve = (value: Json, scope: Scope): Resolved => {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope)).filter((item) => item !== NO_VALUE);
  if (!isObject(value)) return value;
  const [key, ...others] = Object.keys(value);
  if (key !== undefined && others.length === 0 && (key === 'Ref' || key === 'Condition' || key.startsWith('Fn::'))) {
    const argument = value[key] ?? null;
    const lazyFunction = LAZY_FUNCTIONS[key];
    // `Condition` is also an ordinary key of policies; it is a reference only with a string as its value.
    if (lazyFunction && (key !== 'Condition' || typeof argument === 'string')) return lazyFunction(argument, scope);
    const intrinsic = FUNCTIONS[key];
    if (intrinsic) return intrinsic(resolveJson(argument, scope), scope);
    if (key !== 'Condition') throw new Error(`The local run does not support the intrinsic function ${key}`);
  }
  const resolved: JsonObject = {};
  for (const [name, item] of Object.entries(value)) {
    const result = resolve(item, scope);
    if (result !== NO_VALUE) resolved[name] = result;
  }
  return resolved;
};

/** Replaces every intrinsic function in a value by its result. */
export function resolveJson(value: Json, scope: Scope): Json {
  const resolved = resolve(value, scope);
  return resolved === NO_VALUE ? null : resolved;
}
