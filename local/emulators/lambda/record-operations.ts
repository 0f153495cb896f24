import * as z from 'zod';
import { parse, type WireRequest, type WireResponse } from '../wire.ts';
import { addPermission, createUrl, findAlias, findUrl, updateAlias } from './aliases.ts';
import { type LambdaFunction, resolveQualifier } from './functions.ts';
import { type Address, UrlUpdate } from './requests.ts';

/** An operation on a function. */
export type Operation = (
  found: LambdaFunction,
  request: WireRequest,
  address: Pick<Address, 'qualifier' | 'item'>,
) => WireResponse | Promise<WireResponse>;

export const NO_CONTENT: WireResponse = { status: 204 };
const Tagging = z.object({ Tags: z.record(z.string(), z.string()) });
const Concurrency = z.object({ ReservedConcurrentExecutions: z.number().int().min(0) });

/** Operations that only read or change the record of a function, by method and part of the function. */
export const RECORD_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET ': (found, _, { qualifier }) => ({
    body: {
      Configuration: resolveQualifier(found, qualifier),
      Code: { RepositoryType: 'S3' },
      Tags: found.tags,
      ...(found.reservedConcurrency === undefined
        ? {}
        : { Concurrency: { ReservedConcurrentExecutions: found.reservedConcurrency } }),
    },
  }),
  'GET configuration': (found, _, { qualifier }) => ({ body: resolveQualifier(found, qualifier) }),
  'GET versions': ({ latest, versions }) => ({ body: { Versions: [latest, ...Object.values(versions)] } }),
  'GET aliases': ({ aliases }) => ({ body: { Aliases: Object.values(aliases) } }),
  'GET aliases/item': (found, _, { item }) => ({ body: findAlias(found, item) }),
  'PUT aliases/item': (found, request, { item }) => updateAlias(found, item, request),
  'DELETE aliases/item': ({ aliases, urls }, _, { item }) => {
    delete aliases[item];
    delete urls[item];
    return NO_CONTENT;
  },
  'POST url': (found, request, { qualifier }) => createUrl(found, qualifier, request),
  'GET url': (found, _, { qualifier }) => ({ body: findUrl(found, qualifier) }),
  'PUT url': (found, { body }, { qualifier }) => ({
    body: Object.assign(findUrl(found, qualifier), parse(UrlUpdate, body)),
  }),
  'DELETE url': (found, _, { qualifier }) => {
    findUrl(found, qualifier);
    delete found.urls[qualifier ?? ''];
    return NO_CONTENT;
  },
  'POST policy': addPermission,
  'GET policy': ({ policy }) => ({
    body: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: Object.values(policy) }) },
  }),
  'DELETE policy/item': ({ policy }, _, { item }) => {
    delete policy[item];
    return NO_CONTENT;
  },
  'PUT concurrency': (found, { body }) => {
    const input = parse(Concurrency, body);
    found.reservedConcurrency = input.ReservedConcurrentExecutions;
    return { body: input };
  },
  'GET tags': ({ tags }) => ({ body: { Tags: tags } }),
  'POST tags': ({ tags }, { body }) => {
    Object.assign(tags, parse(Tagging, body).Tags);
    return NO_CONTENT;
  },
  'DELETE tags': ({ tags }, { query }) => {
    for (const key of query.getAll('tagKeys')) delete tags[key];
    return NO_CONTENT;
  },
};
