import { parse, ServiceError, type WireRequest, type WireResponse } from '../wire.ts';
import { createAlias } from './aliases.ts';
import type { Code } from './code-store.ts';
import {
  assertRevision,
  type Configuration,
  codeMismatch,
  type LambdaFunction,
  newRevision,
  publish,
  resolveQualifier,
} from './functions.ts';
import { assertEnvironmentSize, assertLayers, assertStorage } from './limits.ts';
import { NO_CONTENT, type Operation } from './record-operations.ts';
import { type CodeSource, CodeUpdate, Creation, Publication, SettingsUpdate } from './requests.ts';
import type { States } from './states.ts';

/** State and functions that the operations on code, settings and versions work on. */
export interface FunctionStore {
  functions: Record<string, LambdaFunction>;
  region: string;
  accountId: string;
  strict: boolean | undefined;
  /** Loads the code that a request contains or names. The number of layers counts toward the size limit. */
  load(source: CodeSource, layers: number): Promise<Code>;
  /** Saves the changes that an operation made to a function. */
  save(name: string): void;
}

const toLayers = (arns: readonly string[]) => arns.map((Arn) => ({ Arn }));

export const arnOf = ({ region, accountId }: FunctionStore, name: string) =>
  `arn:aws:lambda:${region}:${accountId}:function:${name}`;

export async function createFunction(
  store: FunctionStore,
  states: States,
  request: WireRequest,
): Promise<WireResponse> {
  const { functions, strict } = store;
  const { FunctionName, Code: source, Publish, Tags, ...input } = parse(Creation, request.body);
  if (functions[FunctionName]) {
    throw new ServiceError('ResourceConflictException', `Function already exist: ${FunctionName}`, 409);
  }
  assertLayers(input.Layers.length);
  assertEnvironmentSize(input.Environment.Variables);
  const code = await store.load(source, input.Layers.length);
  if (strict) assertStorage(functions, code.size);
  const latest: Configuration = {
    FunctionName,
    FunctionArn: arnOf(store, FunctionName),
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
  store.save(FunctionName);
  return { status: 201, body: created.versions['1'] ?? latest };
}

const deleteFunction =
  ({ functions }: FunctionStore): Operation =>
  (found, _, { qualifier }) => {
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

const updateCode =
  (store: FunctionStore, states: States): Operation =>
  async (found, request) => {
    const { RevisionId, Architectures, Publish, ...source } = parse(CodeUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    const code = await store.load(source, found.latest.Layers.length);
    if (store.strict) assertStorage(store.functions, code.size);
    Object.assign(found.latest, { CodeSha256: code.sha256, CodeSize: code.size, ...newRevision() });
    if (Architectures) found.latest.Architectures = Architectures;
    states.updated(found.latest);
    return { body: Publish ? publish(found, undefined) : found.latest };
  };

const updateSettings =
  (states: States): Operation =>
  (found, request) => {
    const { RevisionId, Layers, ...settings } = parse(SettingsUpdate, request.body);
    assertRevision(found.latest, RevisionId);
    if (Layers) assertLayers(Layers.length);
    if (settings.Environment) assertEnvironmentSize(settings.Environment.Variables);
    Object.assign(found.latest, settings, Layers ? { Layers: toLayers(Layers) } : {}, newRevision());
    states.updated(found.latest);
    return { body: found.latest };
  };

const publishVersion =
  (states: States): Operation =>
  (found, request) => {
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

/** Returns the operations on existing functions that change their code, settings, versions or aliases. */
export const functionOperations = (store: FunctionStore, states: States): Readonly<Record<string, Operation>> => ({
  'DELETE ': deleteFunction(store),
  'PUT code': updateCode(store, states),
  'PUT configuration': updateSettings(states),
  'POST versions': publishVersion(states),
  'POST aliases': (found, request) => {
    const created = createAlias(found, request);
    states.aliasCreated(created.body.AliasArn);
    return created;
  },
});
