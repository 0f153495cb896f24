import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '../wire.ts';

/** Settings and code of a function in Lambda's format. `$LATEST` and each published version have their own. */
export const Configuration = z.object({
  FunctionName: z.string(),
  FunctionArn: z.string(),
  Runtime: z.string(),
  Role: z.string(),
  Handler: z.string(),
  CodeSize: z.number(),
  CodeSha256: z.string(),
  Description: z.string(),
  Timeout: z.number(),
  MemorySize: z.number(),
  LastModified: z.string(),
  Version: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
  Layers: z.array(z.object({ Arn: z.string() })),
  Architectures: z.array(z.string()),
  RevisionId: z.string(),
  PackageType: z.literal('Zip'),
  State: z.enum(['Pending', 'Active']),
  LastUpdateStatus: z.enum(['InProgress', 'Successful']),
});
export type Configuration = z.output<typeof Configuration>;

const Alias = z.object({
  AliasArn: z.string(),
  Name: z.string(),
  FunctionVersion: z.string(),
  Description: z.string(),
  RevisionId: z.string(),
});
export type Alias = z.output<typeof Alias>;

const FunctionUrl = z.object({
  FunctionUrl: z.string(),
  FunctionArn: z.string(),
  AuthType: z.string(),
  InvokeMode: z.string(),
  CreationTime: z.string(),
  LastModifiedTime: z.string(),
});

export const LambdaFunction = z.object({
  latest: Configuration,
  /** Published versions by number. A number is never reused. */
  versions: z.record(z.string(), Configuration),
  lastVersion: z.number(),
  aliases: z.record(z.string(), Alias),
  /** Function URLs by qualifier; the empty string stands for no qualifier. */
  urls: z.record(z.string(), FunctionUrl),
  policy: z.record(z.string(), z.record(z.string(), z.unknown())),
  tags: z.record(z.string(), z.string()),
  reservedConcurrency: z.number().optional(),
});
export type LambdaFunction = z.output<typeof LambdaFunction>;

export const notFound = (arn: string) =>
  new ServiceError('ResourceNotFoundException', `Function not found: ${arn}`, 404);
/** Throws if the caller's revision is outdated. */
export function assertRevision(current: { RevisionId: string }, expected: string | undefined): void {
  if (expected !== undefined && expected !== current.RevisionId) throw preconditionFailed();
}
const preconditionFailed = () =>
  new ServiceError(
    'PreconditionFailedException',
    'The RevisionId provided does not match the latest Revision ID. Call the GetFunction/GetAlias API to retrieve the latest Revision ID',
    412,
  );

export const codeMismatch = (expected: string, current: string) =>
  new ServiceError(
    'InvalidParameterValueException',
    `CodeSHA256 (${expected}) is different from current CodeSHA256 in $LATEST (${current}). Please try again with the CodeSHA256 in $LATEST.`,
  );

/** Returns a new revision and modification time for a changed resource. */
export const newRevision = () => ({
  RevisionId: randomUUID(),
  LastModified: new Date().toISOString().replace('Z', '+0000'),
});

/** Returns the configuration of a version or an alias; `$LATEST` without a qualifier. */
export function resolveQualifier(found: LambdaFunction, qualifier = '$LATEST'): Configuration {
  const version = found.aliases[qualifier]?.FunctionVersion ?? qualifier;
  const configuration = version === '$LATEST' ? found.latest : found.versions[version];
  if (!configuration) throw notFound(`${found.latest.FunctionArn}:${qualifier}`);
  return configuration;
}

/** Publishes `$LATEST`. As in Lambda, returns the last version if `$LATEST` has not changed since. */
export function publish(found: LambdaFunction, description: string | undefined): Configuration {
  const { latest, versions } = found;
  const previous = versions[String(found.lastVersion)];
  if (previous && isUnchanged(previous, latest)) return previous;
  found.lastVersion += 1;
  const Version = String(found.lastVersion);
  const published: Configuration = {
    ...structuredClone(latest),
    ...newRevision(),
    Version,
    FunctionArn: `${latest.FunctionArn}:${Version}`,
    Description: description ?? latest.Description,
  };
  versions[Version] = published;
  return published;
}

function isUnchanged(previous: Configuration, latest: Configuration): boolean {
  const compared = [
    'CodeSha256',
    'Runtime',
    'Role',
    'Handler',
    'Timeout',
    'MemorySize',
    'Environment',
    'Layers',
  ] as const;
  return compared.every((name) => JSON.stringify(previous[name]) === JSON.stringify(latest[name]));
}
