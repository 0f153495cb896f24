import * as z from 'zod';
import { createThrottle } from '../strict.ts';
import { parse, ServiceError, type WireRequest, type WireResponse } from '../wire.ts';
import { addPermission, createAlias, createUrl, findAlias, findUrl, updateAlias } from './aliases.ts';
import type { Code } from './code-store.ts';
import {
  assertRevision,
  type Configuration,
  codeMismatch,
  type LambdaFunction,
  newRevision,
  notFound,
  publish,
  resolveQualifier,
} from './functions.ts';
import { accountSettings, assertEnvironmentSize, assertEventSize, assertLayers, assertStorage } from './limits.ts';
import {
  type Address,
  addressOf,
  type CodeSource,
  CodeUpdate,
  Creation,
  Publication,
  SettingsUpdate,
  UrlUpdate,
} from './requests.ts';
import { createStates } from './states.ts';

/** State and functions that the operations work on. */
export interface LambdaBackend {
  functions: Record<string, LambdaFunction>;
  region: string;
  accountId: string;
  strict: boolean | undefined;
  /** Loads the code that a request contains or names. The number of layers counts toward the size limit. */
  load(source: CodeSource, layers: number): Promise<Code>;
  invoke(configuration: Configuration, payload: Buffer, tail: boolean): Promise<WireResponse>;
  /** Invokes a function of the platform. Returns undefined for any other name. */
  invokePlatformFunction(name: string, payload: string): Promise<WireResponse> | undefined;
  /** Saves the changes that an operation made to a function. */
  save(name: string): void;
}

type Operation = (
  found: LambdaFunction,
  request: WireRequest,
  address: Pick<Address, 'qualifier' | 'item'>,
) => WireResponse | Promise<WireResponse>;

const NO_CONTENT: WireResponse = { status: 204 };
const Tagging = z.object({ Tags: z.record(z.string(), z.string()) });
const Concurrency = z.object({ ReservedConcurrentExecutions: z.number().int().min(0) });

/** Parts of a function that cannot be changed while an update is in progress. */
const UPDATED_PARTS = ['code', 'configuration', 'versions'];

const toLayers = (arns: readonly string[]) => arns.map((Arn) => ({ Arn }));

/** Operations that only read or change the record of a function, by method and part of the function. */
const RECORD_OPERATIONS: Readonly<Record<string, Operation>> = {
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

/** Returns the handler of the AWS Lambda operations that app hosting uses, by method and path. */
export function lambdaOperations(backend: LambdaBackend): (request: WireRequest) => Promise<WireResponse> {
  const { functions, strict } = backend;
  const states = createStates(strict, functions);
  const throttle = createThrottle(strict, () => new ServiceError('TooManyRequestsException', 'Rate exceeded', 429));
  const arnOf = (name: string) => `arn:aws:lambda:${backend.region}:${backend.accountId}:function:${name}`;

  const find = (name: string): LambdaFunction => {
    const found = functions[name];
    if (!found) throw notFound(arnOf(name));
    return found;
  };
  const createFunction = async (request: WireRequest): Promise<WireResponse> => {
    const { FunctionName, Code: source, Publish, Tags, ...input } = parse(Creation, request.body);
    if (functions[FunctionName]) {
      throw new ServiceError('ResourceConflictException', `Function already exist: ${FunctionName}`, 409);
    }
    assertLayers(input.Layers.length);
    assertEnvironmentSize(input.Environment.Variables);
    const code = await backend.load(source, input.Layers.length);
    if (strict) assertStorage(functions, code.size);
    const latest: Configuration = {
      FunctionName,
      FunctionArn: arnOf(FunctionName),
      ...input,
      Layers: toLayers(input.Layers),
      CodeSha256: code.sha256,
      CodeSize: code.size,
      Version: '$LATEST',
      PackageType: 'Zip',
      State: 'Active',
      LastUpdateStatus: 'Successful',
      ...newRevision(),
    };
    const created: LambdaFunction = {
      latest,
      versions: {},
      lastVersion: 0,
      aliases: {},
      urls: {},
      policy: {},
      tags: Tags,
    };
    functions[FunctionName] = created;
    if (Publish) publish(created, undefined);
    states.created(latest);
    backend.save(FunctionName);
    return { status: 201, body: created.versions['1'] ?? latest };
  };

  const deleteFunction: Operation = (found, _, { qualifier }) => {
    if (qualifier === undefined) delete functions[found.latest.FunctionName];
    else {
      const { Version } = resolveQualifier(found, qualifier);
      const aliases = Object.values(found.aliases).filter(({ FunctionVersion }) => FunctionVersion === Version);
      if (aliases.length > 0) {
        const names = aliases.map(({ Name }) => Name).join(', ');
        const message = `Unable to delete version because the following aliases reference it: [${names}]`;
        throw new ServiceError('ResourceConflictException', message, 409);
      }
      delete found.versions[Version];
    }
    return NO_CONTENT;
  };

  const updateCode: Operation = async (found, request) => {
    const { RevisionId, Architectures, Publish, ...source } = parse(CodeUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    const code = await backend.load(source, found.latest.Layers.length);
    if (strict) assertStorage(functions, code.size);
    Object.assign(found.latest, { CodeSha256: code.sha256, CodeSize: code.size, ...newRevision() });
    if (Architectures) found.latest.Architectures = Architectures;
    states.updated(found.latest);
    return { body: Publish ? publish(found, undefined) : found.latest };
  };

  const updateSettings: Operation = (found, request) => {
    const { RevisionId, Layers, ...settings } = parse(SettingsUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    if (Layers) assertLayers(Layers.length);
    if (settings.Environment) assertEnvironmentSize(settings.Environment.Variables);
    Object.assign(found.latest, settings, Layers ? { Layers: toLayers(Layers) } : {}, newRevision());
    states.updated(found.latest);
    return { body: found.latest };
  };

  const publishVersion: Operation = (found, request) => {
    const { RevisionId, CodeSha256, Description } = parse(Publication, request.body);
    assertRevision(found.latest, RevisionId);
    if (CodeSha256 !== undefined && CodeSha256 !== found.latest.CodeSha256) {
      throw codeMismatch(CodeSha256, found.latest.CodeSha256);
    }
    const before = found.lastVersion;
    const published = publish(found, Description);
    if (found.lastVersion > before) states.created(published);
    return { status: 201, body: published };
  };

  const invoke = (name: string, qualifier: string | undefined, request: WireRequest) => {
    const { headers, body } = request;
    assertEventSize(request);
    const invocation = backend.invokePlatformFunction(name, body.toString('utf8') || '{}');
    if (invocation && headers['x-amz-invocation-type'] === 'Event') return { status: 202, body: Buffer.alloc(0) };
    if (invocation) return invocation;
    return backend.invoke(resolveQualifier(find(name), qualifier), body, headers['x-amz-log-type'] === 'Tail');
  };

  const operations: Readonly<Record<string, Operation>> = {
    ...RECORD_OPERATIONS,
    'DELETE ': deleteFunction,
    'PUT code': updateCode,
    'PUT configuration': updateSettings,
    'POST versions': publishVersion,
    'POST aliases': (found, request) => {
      const created = createAlias(found, request);
      states.aliasCreated(created.body.AliasArn);
      return created;
    },
  };

  /** Throws if management requests exceed their rate. Invocations have no rate; the function's concurrency limits them. */
  const limitRate = (method: string, { part, name }: Address): void => {
    if (part === 'invocations') return;
    throttle(method === 'GET' && part === '' && name ? 'lambdaGetFunctionRate' : 'lambdaControlPlaneRate');
  };

  /** Throws if the function, version or alias is not ready for an operation. */
  const assertReady = (method: string, { name, part, qualifier }: Address): void => {
    const found = functions[name];
    if (!found) return;
    if (part === 'url' || part === 'policy') states.assertPropagated(found, qualifier);
    if (method === 'GET' || method === 'DELETE') return;
    states.assertActive(found.latest);
    if (part === 'invocations') states.assertActive(resolveQualifier(found, qualifier));
    if (UPDATED_PARTS.includes(part)) states.assertUpdated(found.latest);
  };

  const dispatch = (request: WireRequest, address: Address): WireResponse | Promise<WireResponse> => {
    const { kind, name, qualifier, operation } = address;
    if (kind === 'account-settings') return { body: accountSettings(functions) };
    if (operation === 'POST ') return createFunction(request);
    if (operation === 'POST invocations') return invoke(name, qualifier, request);
    if (operation === 'GET ' && !name) {
      return { body: { Functions: Object.values(functions).map(({ latest }) => latest) } };
    }
    const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (run) return run(find(name), request, address);
    const message = `${request.method} ${request.path} is not supported by this emulator.`;
    throw new ServiceError('UnknownOperationException', message, 404);
  };

  return async (request) => {
    const { method } = request;
    const address = addressOf(request);
    limitRate(method, address);
    assertReady(method, address);
    const response = await dispatch(request, address);
    const { name, part } = address;
    if (method !== 'GET' && name && part !== 'invocations') backend.save(name);
    return response;
  };
}
