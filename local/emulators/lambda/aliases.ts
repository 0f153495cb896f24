import { randomBytes, randomUUID } from 'node:crypto';
import { parse, ServiceError, type WireRequest, type WireResponse } from '../wire.ts';
import { type Alias, assertRevision, type LambdaFunction, resolveQualifier } from './functions.ts';
import { assertPolicySize } from './limits.ts';
import { AliasCreation, AliasUpdate, Permission, UrlCreation } from './requests.ts';

// Aliases, function URLs and permissions of one function.

const missing = (message: string) => new ServiceError('ResourceNotFoundException', message, 404);
const conflict = (message: string) => new ServiceError('ResourceConflictException', message, 409);

export function findAlias(found: LambdaFunction, name: string): Alias {
  const alias = found.aliases[name];
  if (!alias) throw missing(`Cannot find alias arn: ${found.latest.FunctionArn}:${name}`);
  return alias;
}

export function createAlias(found: LambdaFunction, request: WireRequest): WireResponse & { body: Alias } {
  const input = parse(AliasCreation, request.body);
  const AliasArn = `${found.latest.FunctionArn}:${input.Name}`;
  if (found.aliases[input.Name]) throw conflict(`Alias already exists: ${AliasArn}`);
  resolveQualifier(found, input.FunctionVersion);
  const alias = { AliasArn, ...input, Description: input.Description ?? '', RevisionId: randomUUID() };
  found.aliases[input.Name] = alias;
  return { status: 201, body: alias };
}

export function updateAlias(found: LambdaFunction, name: string, request: WireRequest): WireResponse {
  const alias = findAlias(found, name);
  const { RevisionId, ...change } = parse(AliasUpdate, request.body);
  assertRevision(alias, RevisionId);
  if (change.FunctionVersion !== undefined) resolveQualifier(found, change.FunctionVersion);
  return { body: Object.assign(alias, change, { RevisionId: randomUUID() }) };
}

export const findUrl = (found: LambdaFunction, qualifier = '') => {
  const url = found.urls[qualifier];
  if (!url) throw missing('The resource you requested does not exist.');
  return url;
};

export function createUrl(found: LambdaFunction, qualifier: string | undefined, request: WireRequest): WireResponse {
  const input = parse(UrlCreation, request.body);
  resolveQualifier(found, qualifier);
  if (found.urls[qualifier ?? '']) throw conflict('The function url config exists already.');
  const { FunctionArn } = found.latest;
  const region = FunctionArn.split(':')[3];
  const now = new Date().toISOString();
  const created = {
    FunctionUrl: `https://${randomBytes(16).toString('hex')}.lambda-url.${region}.on.aws/`,
    FunctionArn: FunctionArn + (qualifier === undefined ? '' : `:${qualifier}`),

    ...input,
    InvokeMode: input.InvokeMode ?? 'BUFFERED',
    CreationTime: now,
    LastModifiedTime: now,
  };
  found.urls[qualifier ?? ''] = created;
  const { LastModifiedTime: _, ...body } = created;
  return { status: 201, body };
}

export function addPermission(found: LambdaFunction, request: WireRequest): WireResponse {
  const statement = parse(Permission, request.body);
  if (found.policy[statement.StatementId]) {
    throw conflict(`The statement id (${statement.StatementId}) provided already exists.`);
  }
  assertPolicySize({ ...found.policy, [statement.StatementId]: statement });
  found.policy[statement.StatementId] = statement;
  return { status: 201, body: { Statement: JSON.stringify(statement) } };
}
