import * as z from 'zod';
import type { WireRequest } from '../wire.ts';

/** Inputs of the Lambda operations that app hosting uses. */

export const CodeSource = z.object({
  S3Bucket: z.string().optional(),
  S3Key: z.string().optional(),
  ZipFile: z.base64().optional(),
});
export type CodeSource = z.output<typeof CodeSource>;

const Settings = z.object({
  Runtime: z.enum(['nodejs20.x', 'nodejs22.x', 'nodejs24.x']),
  Role: z.string(),
  Handler: z.string(),
  Description: z.string(),
  Timeout: z.number().int().min(1).max(900),
  MemorySize: z.number().int().min(128).max(10240),
  Environment: z.object({ Variables: z.record(z.string(), z.string()).default({}) }),
  Layers: z.array(z.string()),
});
export const Creation = Settings.extend({
  Description: z.string().default(''),
  Timeout: Settings.shape.Timeout.default(3),
  MemorySize: Settings.shape.MemorySize.default(128),
  Environment: Settings.shape.Environment.default({ Variables: {} }),
  Layers: z.array(z.string()).default([]),
  FunctionName: z.string().regex(/^[a-zA-Z0-9-_]{1,64}$/),
  Code: CodeSource,
  Architectures: z.array(z.enum(['arm64', 'x86_64'])).default(['x86_64']),
  Publish: z.boolean().default(false),
  Tags: z.record(z.string(), z.string()).default({}),
});
const Revision = z.object({ RevisionId: z.string().optional() });
export const CodeUpdate = CodeSource.extend({
  ...Revision.shape,
  Architectures: z.array(z.string()).optional(),
  Publish: z.boolean().default(false),
});
export const SettingsUpdate = Settings.partial().extend(Revision.shape);
export const Publication = Revision.extend({ Description: z.string().optional(), CodeSha256: z.string().optional() });
export const AliasCreation = z.object({
  Name: z.string().regex(/^(?!^[0-9]+$)[a-zA-Z0-9-_]{1,128}$/),
  FunctionVersion: z.string(),
  Description: z.string().optional(),
});
export const AliasUpdate = AliasCreation.omit({ Name: true }).partial().extend(Revision.shape);
export const UrlCreation = z.object({
  AuthType: z.enum(['NONE', 'AWS_IAM']),
  InvokeMode: z.enum(['BUFFERED', 'RESPONSE_STREAM']).optional(),
});
export const UrlUpdate = UrlCreation.partial();
export const Permission = z.object({ StatementId: z.string(), Action: z.string(), Principal: z.string() }).loose();

/** The subject of a request, from its method and path. */
export interface Address {
  /** The first part of the path after the API's version, such as `functions`. */
  kind: string;
  /** Name of the function; empty for operations on all of them. */
  name: string;
  /** The part of the function, such as `url`. Empty for the function itself. */
  part: string;
  /** Name of an alias or id of a permission. */
  item: string;
  qualifier: string | undefined;
  /** Method and part, such as `PUT aliases/item`. */
  operation: string;
}

/** Returns the subject of a request. The path has the function's name or ARN, each with or without a qualifier. */
export function addressOf({ method, path, query }: WireRequest): Address {
  const [, kind = '', id = '', part = '', item = ''] = path.split('/').filter(Boolean).map(decodeURIComponent);
  const [name = '', pathQualifier] = id.replace(/^arn:aws:lambda:[^:]*:[^:]*:function:/, '').split(':');
  const qualifier = query.get('Qualifier') ?? pathQualifier;
  const operation = `${method} ${kind === 'tags' ? kind : part}${item ? '/item' : ''}`;
  return { kind, name, part, item, qualifier, operation };
}
