import * as z from 'zod';
import { createThrottle } from '../strict.ts';
import { parse, ServiceError, type WireRequest, type WireResponse } from '../wire.ts';
import { addPermission, createAlias, createUrl, findAlias, findUrl, updateAlias } from './aliases.ts';
import type { Code } from './code-store.ts';
import {
  anotherCode,
  assertRevision,
  type Configuration,
  type LambdaFunction,
  newRevision,
  notFound,
  publish,
  resolveQualifier,
} from './functions.ts';
import { accountSettings, assertEnvironmentSize, assertEventSize, assertLayers, assertStorage } from './limits.ts';
import { type CodeSource, CodeUpdate, Creation, Publication, SettingsUpdate, UrlUpdate } from './requests.ts';
import { createStates } from './states.ts';

/** State and functions that the operations work on. */
export interface LambdaBackend {
  functions: Record<string, LambdaFunction>;
  region: string;
  accountId: string;
  strict: boolean | undefined;
  /** Loads the code of a request, for a function with so many layers. */
  load(source: CodeSource, layers: number): Promise<Code>;
  invoke(configuration: Configuration, payload: Buffer, tail: boolean): Promise<WireResponse>;
  /** Invokes one of the platform's own functions; undefined for any other name. */
  invokeOwn(name: string, payload: string): Promise<WireResponse> | undefined;
  /** Saves an operation's changes of a function. */
  save(name: string): void;
}

const toLayers = (arns: readonly string[]) => arns.map((Arn) => ({ Arn }));

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
  const describe = (found: LambdaFunction, configuration: Configuration): WireResponse => ({
    body: {
      Configuration: configuration,
      Code: { RepositoryType: 'S3' },
      Tags: found.tags,
      ...(found.reservedConcurrency === undefined
        ? {}
        : { Concurrency: { ReservedConcurrentExecutions: found.reservedConcurrency } }),
    },
  });
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

  const deleteFunction = (name: string, qualifier: string | undefined): WireResponse => {
    const found = find(name);
    if (qualifier === undefined) delete functions[name];
    else {
      const { Version } = resolveQualifier(found, qualifier);
      const alias = Object.values(found.aliases).find(({ FunctionVersion }) => FunctionVersion === Version);
      if (alias) {
        const message = `Version was not able to be deleted because it is referenced by the alias ${alias.Name}.`;
        throw new ServiceError('ResourceConflictException', message, 409);
      }
      delete found.versions[Version];
    }
    return { status: 204 };
  };

  const updateCode = async (found: LambdaFunction, request: WireRequest): Promise<WireResponse> => {
    const { RevisionId, Architectures, Publish, ...source } = parse(CodeUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    const code = await backend.load(source, found.latest.Layers.length);
    if (strict) assertStorage(functions, code.size);
    Object.assign(found.latest, { CodeSha256: code.sha256, CodeSize: code.size, ...newRevision() });
    if (Architectures) found.latest.Architectures = Architectures;
    states.updated(found.latest);
    return { body: Publish ? publish(found, undefined) : found.latest };
  };

  const updateSettings = (found: LambdaFunction, request: WireRequest): WireResponse => {
    const { RevisionId, Layers, ...settings } = parse(SettingsUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    if (Layers) assertLayers(Layers.length);
    if (settings.Environment) assertEnvironmentSize(settings.Environment.Variables);
    Object.assign(found.latest, settings, Layers ? { Layers: toLayers(Layers) } : {}, newRevision());
    states.updated(found.latest);
    return { body: found.latest };
  };

  const publishVersion = (found: LambdaFunction, request: WireRequest): WireResponse => {
    const { RevisionId, CodeSha256, Description } = parse(Publication, request.body);
    assertRevision(found.latest, RevisionId);
    if (CodeSha256 !== undefined && CodeSha256 !== found.latest.CodeSha256) {
      throw anotherCode(CodeSha256, found.latest.CodeSha256);
    }
    const before = found.lastVersion;
    const published = publish(found, Description);
    if (found.lastVersion > before) states.created(published);
    return { status: 201, body: published };
  };

  return async (request) => {
    const [, kind, id = '', part = '', item = ''] = request.path.split('/').filter(Boolean).map(decodeURIComponent);
    // A function is identified by its name or its ARN, and either may end in a qualifier.
    const [name = '', ownQualifier] = id.replace(/^arn:aws:lambda:[^:]*:[^:]*:function:/, '').split(':');
    const qualifier = request.query.get('Qualifier') ?? ownQualifier ?? undefined;
    const isRead = request.method === 'GET';

    /** Refuses what Lambda refuses for the moment: too many requests, and operations on what is in the making. */
    const assertReady = (): void => {
      if (part !== 'invocations')
        throttle(isRead && part === '' && name ? 'lambdaGetFunctionRate' : 'lambdaControlPlaneRate');
      const found = functions[name];
      if (!found) return;
      if (part === 'url' || part === 'policy') states.assertPropagated(found, qualifier);
      if (isRead || request.method === 'DELETE') return;
      states.assertActive(found.latest);
      if (part === 'invocations') states.assertActive(resolveQualifier(found, qualifier));
      else if (['code', 'configuration', 'versions'].includes(part)) states.assertUpdated(found.latest);
    };

    const dispatch = async (): Promise<WireResponse> => {
      assertReady();
      if (kind === 'account-settings') return { body: accountSettings(functions) };
      if (kind === 'tags') {
        const found = find(name);
        if (request.method === 'GET') return { body: { Tags: found.tags } };
        if (request.method === 'POST')
          Object.assign(found.tags, parse(z.object({ Tags: z.record(z.string(), z.string()) }), request.body).Tags);
        else for (const key of request.query.getAll('tagKeys')) delete found.tags[key];
        return { status: 204 };
      }
      switch (`${request.method} ${part}${item ? '/item' : ''}`) {
        case 'POST ':
          return createFunction(request);
        case 'GET ':
          if (!name) return { body: { Functions: Object.values(functions).map(({ latest }) => latest) } };
          return describe(find(name), resolveQualifier(find(name), qualifier));
        case 'DELETE ':
          return deleteFunction(name, qualifier);
        case 'GET configuration':
          return { body: resolveQualifier(find(name), qualifier) };
        case 'PUT configuration':
          return updateSettings(find(name), request);
        case 'PUT code':
          return updateCode(find(name), request);
        case 'POST versions':
          return publishVersion(find(name), request);
        case 'GET versions':
          return { body: { Versions: [find(name).latest, ...Object.values(find(name).versions)] } };
        case 'POST aliases': {
          const created = createAlias(find(name), request);
          states.aliased(created.body.AliasArn);
          return created;
        }
        case 'GET aliases':
          return { body: { Aliases: Object.values(find(name).aliases) } };
        case 'GET aliases/item':
          return { body: findAlias(find(name), item) };
        case 'PUT aliases/item':
          return updateAlias(find(name), item, request);
        case 'DELETE aliases/item':
          delete find(name).aliases[item];
          delete find(name).urls[item];
          return { status: 204 };
        case 'POST url':
          return createUrl(find(name), qualifier, request);
        case 'GET url':
          return { body: findUrl(find(name), qualifier) };
        case 'PUT url':
          return { body: Object.assign(findUrl(find(name), qualifier), parse(UrlUpdate, request.body)) };
        case 'DELETE url':
          findUrl(find(name), qualifier);
          delete find(name).urls[qualifier ?? ''];
          return { status: 204 };
        case 'POST policy':
          return addPermission(find(name), request);
        case 'GET policy':
          return {
            body: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: Object.values(find(name).policy) }) },
          };
        case 'DELETE policy/item':
          delete find(name).policy[item];
          return { status: 204 };
        case 'PUT concurrency': {
          const input = parse(z.object({ ReservedConcurrentExecutions: z.number().int().min(0) }), request.body);
          find(name).reservedConcurrency = input.ReservedConcurrentExecutions;
          return { body: input };
        }
        case 'POST invocations':
          assertEventSize(request);
          if (request.headers['x-amz-invocation-type'] === 'Event') {
            const started = backend.invokeOwn(name, request.body.toString('utf8') || '{}');
            if (started) return { status: 202, body: Buffer.alloc(0) };
          }
          return (
            backend.invokeOwn(name, request.body.toString('utf8') || '{}') ??
            backend.invoke(
              resolveQualifier(find(name), qualifier),
              request.body,
              request.headers['x-amz-log-type'] === 'Tail',
            )
          );
        default:
          throw new ServiceError(
            'UnknownOperationException',
            `${request.method} ${request.path} is not supported by this emulator.`,
            404,
          );
      }
    };
    const response = await dispatch();
    if (!isRead && name && part !== 'invocations') backend.save(name);
    return response;
  };
}
