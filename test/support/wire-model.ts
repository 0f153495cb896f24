import { createRequire } from 'node:module';
import { XMLParser } from 'fast-xml-parser';

/**
 * Checks requests against the models of the services, which AWS publishes inside its SDK packages: operations, HTTP
 * bindings, members, types, required members. The emulators share our understanding of the services, these do not.
 */

/** Signing name → package that holds the service's model. */
export const MODELS = {
  'cloudfront-keyvaluestore': '@aws-sdk/client-cloudfront-keyvaluestore',
  cloudfront: '@aws-sdk/client-cloudfront',
  codebuild: '@aws-sdk/client-codebuild',
  dsql: '@aws-sdk/client-dsql',
  dynamodb: '@aws-sdk/client-dynamodb',
  kms: '@aws-sdk/client-kms',
  lambda: '@aws-sdk/client-lambda',
  route53: '@aws-sdk/client-route-53',
  route53domains: '@aws-sdk/client-route-53-domains',
  s3: '@aws-sdk/client-s3',
  sqs: '@aws-sdk/client-sqs',
  states: '@aws-sdk/client-sfn',
  sts: '@aws-sdk/nested-clients/sts',
} as const;
export type ModeledService = keyof typeof MODELS;

export interface RecordedRequest {
  service: string;
  method: string;
  /** Still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: Buffer;
  /** That of the service's emulator; undefined for a service without one. */
  answer?: RecordedAnswer;
}

export interface RecordedAnswer {
  status: number;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

export interface Verdict {
  operation: string;
  /** Deviations from the model, each with the path of the member. */
  problems: string[];
}

/**
 * A schema as the SDK has it: a number for a simple type, a function that returns a schema, a pair with traits, or
 * `[kind, namespace, name, traits, …]`.
 */
export type Schema = number | readonly unknown[] | (() => Schema);
export type Traits = number | Record<string, unknown>;
/** Kinds of schemas, and the numbers of simple types. */
const [SIMPLE, LIST, MAP, UNION, OPERATION, ERROR] = [0, 1, 2, 4, 9, -3];
export const STRUCTURE = 3;
const [STRING, NUMBER, BOOLEAN, TIME, TEXT_TIME, HTTP_TIME, EPOCH_TIME] = [0, 1, 2, 4, 5, 6, 7];
const [BLOB, STREAM, LIST_OF, MAP_OF] = [21, 42, 64, 128];
const LABEL = 1;
export const PAYLOAD = 16;
export const RESPONSE_CODE = 32;

const load = createRequire(import.meta.url);
const schemasOf = (service: ModeledService, kind: number): (readonly unknown[])[] =>
  Object.values(load(MODELS[service]) as Record<string, unknown>).filter(
    (each): each is readonly unknown[] => Array.isArray(each) && each[0] === kind,
  );
const operationsOf = (service: ModeledService) => schemasOf(service, OPERATION);

/** Returns an operation of a service. */
export const operationNamed = (service: ModeledService, name: string) =>
  operationsOf(service).find((each) => nameOf(each) === name);

/** Returns the traits of a service's error. */
export const errorNamed = (service: ModeledService, name: string) =>
  schemasOf(service, ERROR).find((each) => nameOf(each) === name)?.[3] as { httpError?: number } | undefined;

/** Takes a schema apart into its traits and what they are about. */
export function resolve(schema: Schema): { schema: number | readonly unknown[]; traits: Traits } {
  if (typeof schema === 'function') return resolve(schema());
  if (typeof schema === 'number' || typeof schema[1] === 'string') return { schema, traits: 0 };
  return { schema: resolve(schema[0] as Schema).schema, traits: schema[1] as Traits };
}
export const trait = (traits: Traits, name: string): string | undefined => {
  const found = typeof traits === 'object' ? traits[name] : undefined;
  return found === undefined ? undefined : String(found);
};
export const hasBit = (traits: Traits, bit: number): boolean => typeof traits === 'number' && (traits & bit) !== 0;

interface Member {
  name: string;
  schema: number | readonly unknown[];
  traits: Traits;
  required: boolean;
}
/** Returns the members of a structure: the required ones are first, and the last entry counts them. */
export function membersOf(structure: readonly unknown[]): Member[] {
  const [, , , , names, schemas, required = 0] = structure;
  return (names as string[]).map((name, index) => ({
    ...resolve((schemas as Schema[])[index] as Schema),
    name,
    required: index < Number(required),
  }));
}

/** `text`: everything is text, and lists are elements, as in XML, forms, queries and headers. */
type Notation = 'json' | 'text';

/** Returns how a value deviates from a schema. */
export function deviations(of: Schema, value: unknown, path: string, notation: Notation): string[] {
  const { schema } = resolve(of);
  if (typeof schema === 'number') return simpleDeviations(schema, value, path, notation);
  const [kind, , , , inner, valueSchema] = schema;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === SIMPLE) return deviations(inner as Schema, value, path, notation);
  if (kind === LIST) {
    const items = notation === 'text' ? elementsOf(inner as Schema, value) : value;
    if (!Array.isArray(items)) return [`${path} must be a list`];
    return items.flatMap((item, index) => deviations(inner as Schema, item, `${path}[${index}]`, notation));
  }
  if (!isObject) return [`${path} must be an object`];
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  if (kind === MAP)
    return entries.flatMap(([key, each]) => deviations(valueSchema as Schema, each, `${path}.${key}`, notation));
  const members = membersOf(schema);
  const missing = members.filter(({ name, required }) => required && !entries.some(([key]) => key === name));
  const several = kind === UNION && entries.length !== 1 ? [`${path} must have one member`] : [];
  return [
    ...missing.map(({ name }) => `${path}.${name} is missing`),
    ...several,
    ...entries.flatMap(([key, each]) => {
      const member = members.find(({ name, traits }) => key === (trait(traits, 'jsonName') ?? name));
      if (!member) return [`${path}.${key} is unknown`];
      return deviations([member.schema, member.traits], each, `${path}.${key}`, notation);
    }),
  ];
}

function simpleDeviations(schema: number, value: unknown, path: string, notation: Notation): string[] {
  if (schema & MAP_OF || schema & LIST_OF) {
    const inner = schema & ~(MAP_OF | LIST_OF);
    const kind = schema & MAP_OF ? [MAP, '', '', 0, STRING, inner] : [LIST, '', '', 0, inner];
    return deviations(kind, value, path, notation);
  }
  const texts = [STRING, BLOB, TEXT_TIME, HTTP_TIME].includes(schema) || (schema === TIME && notation === 'text');
  const numbers = schema === NUMBER || schema === TIME || schema === EPOCH_TIME;
  const expected = texts ? 'string' : numbers ? 'number' : schema === BOOLEAN ? 'boolean' : undefined;
  if (expected === undefined || schema === STREAM) return [];
  const fits =
    notation === 'json'
      ? typeof value === expected
      : typeof value === 'string' &&
        (expected !== 'number' || /^-?\d+(\.\d+)?$/.test(value)) &&
        (schema !== BOOLEAN || /^(true|false)$/.test(value));
  return fits ? [] : [`${path} must be a ${expected}, not ${JSON.stringify(value)}`];
}

/** Returns the items of a list in XML: `<Changes><Change/><Change/></Changes>`. */
function elementsOf(item: Schema, value: unknown): unknown[] | undefined {
  const name = trait(resolve(item).traits, 'xmlName') ?? 'member';
  if (value === '') return [];
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== name) return undefined;
  const found = (value as Record<string, unknown>)[name];
  return Array.isArray(found) ? found : [found];
}

const nameOf = (operation: readonly unknown[]): string => String(operation[2]);
const inputOf = (operation: readonly unknown[]) => resolve(operation[4] as Schema).schema as readonly unknown[];

/** Returns the names of a service's operations. */
export const operationNames = (service: ModeledService): string[] => operationsOf(service).map(nameOf);

/** Checks the input of an operation in JSON. */
export function checkInput(service: ModeledService, operation: string, input: unknown): Verdict {
  const found = operationNamed(service, operation);
  if (!found) return { operation, problems: [`${service} has no operation ${operation}`] };
  return { operation, problems: deviations(inputOf(found), input, operation, 'json') };
}

export const xml = new XMLParser({ ignoreAttributes: true, ignoreDeclaration: true, parseTagValue: false });

/** Splits a path by an operation's template; undefined where it does not match. */
function labelsOf(template: string, path: string): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = template.replace(/\{(\w+)(\+?)\}/g, (_, name: string, greedy: string) => {
    names.push(name);
    return greedy ? '(.+)' : '([^/]+)';
  });
  const match = new RegExp(`^${pattern}$`).exec(path);
  if (!match) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
}

const isBoundOutside = (traits: Traits): boolean =>
  trait(traits, 'httpQuery') !== undefined || trait(traits, 'httpHeader') !== undefined;
/** Returns the parameter or header that a member is bound to. */
function boundTo(traits: Traits, { query, headers }: RecordedRequest): string | undefined {
  const parameter = trait(traits, 'httpQuery');
  return parameter === undefined
    ? headers[trait(traits, 'httpHeader')?.toLowerCase() ?? '']
    : (query.get(parameter) ?? undefined);
}

/** Checks a request of a REST protocol: path, query, headers and body are members of the operation's input. */
function checkRest(service: ModeledService, request: RecordedRequest): Verdict {
  // Buckets are named in the path here, and in the host name in the model.
  const [, bucket, key] = service === 's3' ? (/^\/([^/]+)(\/.*)$/.exec(request.path) ?? []) : [];
  const candidates = operationsOf(service).flatMap((operation) => {
    const { http } = operation[3] as { http?: [string, string] };
    const [template = '', literals = ''] = http?.[1].split('?') ?? [];
    const labels = http?.[0] === request.method ? labelsOf(template, key ?? request.path) : undefined;
    // Operations on the same path differ in literal parameters of the query; `x-id` is only a note.
    const isNamed = [...new URLSearchParams(literals)].every(([name]) => name === 'x-id' || request.query.has(name));
    if (!labels || !isNamed) return [];
    const lacking = membersOf(inputOf(operation)).filter(
      ({ traits, required }) => required && isBoundOutside(traits) && boundTo(traits, request) === undefined,
    );
    const literal = literals.replace(/x-id=\w+/, '').length - Object.keys(labels).length;
    return [{ operation, labels, weight: literal - 100 * lacking.length }];
  });
  const [found] = candidates.sort((a, b) => b.weight - a.weight);
  const asked = `${request.method} ${request.path}`;
  if (!found) return { operation: asked, problems: [`${service} has no operation ${asked}`] };
  const operation = nameOf(found.operation);
  const members = membersOf(inputOf(found.operation));
  const bound: Record<string, unknown> = { ...found.labels, ...(bucket ? { Bucket: bucket } : {}) };
  const known = new Set(['x-id']);
  for (const { name, traits } of members) {
    const parameter = trait(traits, 'httpQuery');
    if (parameter !== undefined) known.add(parameter);
    const text = boundTo(traits, request);
    if (text !== undefined) bound[name] = text;
  }
  const unknown = [...request.query.keys()].filter((name) => !known.has(name) && !/^x-amz-/i.test(name));
  const payload = members.find(({ traits }) => hasBit(traits, PAYLOAD) || trait(traits, 'httpPayload') !== undefined);
  const isXml = request.body.toString('utf8', 0, 1) === '<';
  const body =
    payload || request.body.length === 0
      ? {}
      : isXml
        ? Object.values(xml.parse(request.body))[0]
        : JSON.parse(request.body.toString('utf8'));
  const isBound = ({ name, traits }: Member) =>
    hasBit(traits, LABEL) ||
    name in bound ||
    payload?.name === name ||
    trait(traits, 'httpHeader') ||
    trait(traits, 'httpQuery');
  const [head, rest] = [members.filter(isBound), members.filter((each) => !isBound(each))];
  const structure = (parts: Member[]): Schema => {
    const sorted = [...parts].sort((a, b) => Number(b.required) - Number(a.required));
    const schemas = sorted.map(({ schema, traits }) => [schema, traits]);
    return [
      STRUCTURE,
      '',
      operation,
      0,
      sorted.map(({ name }) => name),
      schemas,
      sorted.filter(({ required }) => required).length,
    ];
  };
  if (payload) bound[payload.name] = request.body.toString('base64');
  return {
    operation,
    problems: [
      ...unknown.map((name) => `${operation}: the parameter ${name} is unknown`),
      ...deviations(structure(head), bound, operation, 'text'),
      ...deviations(structure(rest), body, operation, isXml ? 'text' : 'json'),
    ],
  };
}

/** Checks a request as it is on the wire. */
export function checkRequest(service: ModeledService, request: RecordedRequest): Verdict {
  const target = request.headers['x-amz-target'];
  if (target !== undefined)
    return checkInput(service, target.split('.')[1] ?? '', JSON.parse(request.body.toString('utf8')));
  const form = service === 'sts' ? Object.fromEntries(new URLSearchParams(request.body.toString('utf8'))) : undefined;
  if (!form) return checkRest(service, request);
  const { Action: operation = '', Version: _, ...input } = form;
  const found = operationNamed(service, operation);
  if (!found) return { operation, problems: [`${service} has no operation ${operation}`] };
  return { operation, problems: deviations(inputOf(found), input, operation, 'text') };
}
