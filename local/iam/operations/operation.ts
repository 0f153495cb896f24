import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type Json, type JsonObject } from '../../template/intrinsics.ts';
import type { Access } from '../authorizer.ts';

/** A request to an AWS service. */
export interface ServiceRequest {
  method: string;
  /** Path without the query, still percent-encoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The region that it is signed for. */
  region: string;
  /** The account of its caller, in which it names resources. */
  account: string;
}

/** Returns the rights that a request of one service needs. Undefined for an operation that the table does not have. */
export type Operations = (request: ServiceRequest) => Access[] | undefined;

/** Builds the ARN of a resource in the caller's account and the request's region. */
export type ArnOf = (service: string, resource: string) => string;
export const arnIn =
  ({ account, region = '' }: { account: string; region?: string }): ArnOf =>
  (service, resource) =>
    `arn:aws:${service}:${region}:${account}:${resource}`;

/** Returns the account of a role or any other resource whose ARN names one. */
export const accountOfArn = (arn: string): string => arn.split(':')[4] ?? '';

/** Parses the JSON body of a request; one that is not an object names no resource, and the service refuses it. */
export function jsonBody({ body }: Pick<ServiceRequest, 'body'>): JsonObject {
  if (body.length === 0) return {};
  try {
    const parsed: Json = JSON.parse(body.toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
export const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Returns condition keys such as `aws:RequestTag/application` for a map of texts. */
export const conditionKeys = (prefix: string, values: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(values) ? values : {}).map(([key, value]) => [`${prefix}${key}`, text(value)]),
  );

/** The rights that an operation of the JSON protocol needs, by its input. */
export type JsonOperation = (input: JsonObject, arn: ArnOf, request: ServiceRequest) => Access[];

/** Reads the operation of the JSON protocol from `X-Amz-Target`. */
export const jsonOperations =
  (operations: Readonly<Record<string, JsonOperation>>): Operations =>
  (request) => {
    const name = text(request.headers['x-amz-target']?.toString()).split('.')[1] ?? '';
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    return operation?.(jsonBody(request), arnIn(request), request);
  };
