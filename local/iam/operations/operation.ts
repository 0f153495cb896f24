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
  /** The region for which the request is signed. */
  region: string;
  /** The caller's account, to which the named resources belong. */
  account: string;
}

/** Returns the rights that a request to a service needs; undefined for an unknown operation. */
export type Operations = (request: ServiceRequest) => Access[] | undefined;

/** Builds the ARN of a resource in the caller's account and the request's region. */
export type ArnOf = (service: string, resource: string) => string;
export const arnIn =
  ({ account, region = '' }: { account: string; region?: string }): ArnOf =>
  (service, resource) =>
    `arn:aws:${service}:${region}:${account}:${resource}`;

/** Returns the account in an ARN; empty if the ARN contains none. */
export const accountOfArn = (arn: string): string => arn.split(':')[4] ?? '';

/** Parses the JSON body of a request. Returns an empty object for any other body, which the service refuses. */
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

/** Returns condition keys such as `aws:RequestTag/application` for a map of strings. */
export const conditionKeys = (prefix: string, values: Json | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(values) ? values : {}).map(([key, value]) => [`${prefix}${key}`, text(value)]),
  );

/** Returns the rights that an operation of the JSON protocol needs for an input. */
export type JsonOperation = (input: JsonObject, arn: ArnOf, request: ServiceRequest) => Access[];

/** Returns the operations of a service with the JSON protocol, which names the operation in `X-Amz-Target`. */
export const jsonOperations =
  (operations: Readonly<Record<string, JsonOperation>>): Operations =>
  (request) => {
    const name = text(request.headers['x-amz-target']?.toString()).split('.')[1] ?? '';
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
    return operation?.(jsonBody(request), arnIn(request), request);
  };
