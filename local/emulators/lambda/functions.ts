import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '../wire.ts';

/** A function's settings and code as Lambda describes them; `$LATEST` and every published version has its own. */
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
  State: z.literal('Active'),
  LastUpdateStatus: z.literal('Successful'),
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
  /** Published versions by number, which is never used twice. */
  versions: z.record(z.string(), Configuration),
  lastVersion: z.number(),
  aliases: z.record(z.string(), Alias),
  /** By qualifier; the one without has the empty one. */
  urls: z.record(z.string(), FunctionUrl),
  policy: z.record(z.string(), z.record(z.string(), z.unknown())),
  tags: z.record(z.string(), z.string()),
  reservedConcurrency: z.number().optional(),
});
export type LambdaFunction = z.output<typeof LambdaFunction>;

export const notFound = (arn: string) =>
  new ServiceError('ResourceNotFoundException', `Function not found: ${arn}`, 404);
/** Refuses a change to something that is not as the caller last saw it. */
export function revise(current: { RevisionId: string }, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== current.RevisionId) throw preconditionFailed();
}
export const preconditionFailed = () =>
  new ServiceError(
    'PreconditionFailedException',
    'The RevisionId provided does not match the latest Revision ID. Call the GetFunction/GetAlias API to retrieve the latest Revision ID',
    412,
  );

/** Gives a changed thing the revision and time of now. */
export const touched = () => ({
  RevisionId: randomUUID(),
  LastModified: new Date().toISOString().replace('Z', '+0000'),
});

/** The settings behind a qualifier: a version, an alias, or `$LATEST` when there is none. */
export function resolveQualifier(found: LambdaFunction, qualifier = '$LATEST'): Configuration {
  const version = found.aliases[qualifier]?.FunctionVersion ?? qualifier;
  const configuration = version === '$LATEST' ? found.latest : found.versions[version];
  if (!configuration) throw notFound(`${found.latest.FunctionArn}:${qualifier}`);
  return configuration;
}

/** Publishes `$LATEST`. As Lambda does: nothing changed since the last version means that version again. */
export function publish(found: LambdaFunction, description: string | undefined): Configuration {
  const { latest, versions } = found;
  const previous = versions[String(found.lastVersion)];
  if (previous && unchanged(previous, latest)) return previous;
  found.lastVersion += 1;
  const Version = String(found.lastVersion);
  const published: Configuration = {
    ...structuredClone(latest),
    ...touched(),
    Version,
    FunctionArn: `${latest.FunctionArn}:${Version}`,
    Description: description ?? latest.Description,
  };
  versions[Version] = published;
  return published;
}

function unchanged(previous: Configuration, latest: Configuration): boolean {
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
