import { isObject, type Json } from '../../template/intrinsics.ts';
import type { Access } from '../authorizer.ts';
import { arnIn, jsonBody, type Operations, type ServiceRequest, text } from './operation.ts';

/** Actions by method and the path after the function's name. */
const ACTIONS: Readonly<Record<string, string>> = {
  'POST ': 'CreateFunction',
  'GET ': 'GetFunction',
  'DELETE ': 'DeleteFunction',
  'GET configuration': 'GetFunctionConfiguration',
  'PUT configuration': 'UpdateFunctionConfiguration',
  'PUT code': 'UpdateFunctionCode',
  'POST versions': 'PublishVersion',
  'GET versions': 'ListVersionsByFunction',
  'POST aliases': 'CreateAlias',
  'GET aliases': 'ListAliases',
  'GET aliases/item': 'GetAlias',
  'PUT aliases/item': 'UpdateAlias',
  'DELETE aliases/item': 'DeleteAlias',
  'POST url': 'CreateFunctionUrlConfig',
  'GET url': 'GetFunctionUrlConfig',
  'PUT url': 'UpdateFunctionUrlConfig',
  'DELETE url': 'DeleteFunctionUrlConfig',
  'POST policy': 'AddPermission',
  'GET policy': 'GetPolicy',
  'DELETE policy/item': 'RemovePermission',
  'PUT concurrency': 'PutFunctionConcurrency',
  'DELETE concurrency': 'DeleteFunctionConcurrency',
  'GET concurrency': 'GetFunctionConcurrency',
  'POST invocations': 'InvokeFunction',
};
const TAGGING: Readonly<Record<string, string>> = { GET: 'ListTags', POST: 'TagResource', DELETE: 'UntagResource' };

const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map(text) : []);

/** Returns the rights on other resources that a function's settings require: its role, layers, code and tags. */
function dependentAccesses(request: ServiceRequest, functionArn: string): Access[] {
  const input = jsonBody(request);
  const { S3Bucket, S3Key } = isObject(input.Code) ? input.Code : input;
  return [
    ...(input.Role === undefined
      ? []
      : [
          {
            action: 'iam:PassRole',
            resource: text(input.Role),
            context: { 'iam:PassedToService': 'lambda.amazonaws.com' },
          },
        ]),
    ...strings(input.Layers).map((resource) => ({ action: 'lambda:GetLayerVersion', resource })),
    // Lambda reads the code with the caller's rights.
    ...(S3Bucket === undefined
      ? []
      : [{ action: 's3:GetObject', resource: `arn:aws:s3:::${text(S3Bucket)}/${text(S3Key)}` }]),
    ...(isObject(input.Tags) ? [{ action: 'lambda:TagResource', resource: functionArn }] : []),
  ];
}

const CHANGES = new Set(['CreateFunction', 'UpdateFunctionConfiguration', 'UpdateFunctionCode']);

/** https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html */
export const lambda: Operations = (request) => {
  const { method, path, query } = request;
  const [, kind, id = '', part = '', item = ''] = path.split('/').filter(Boolean).map(decodeURIComponent);
  const isCreation = method === 'POST' && id === '';
  const nameOrArn = isCreation ? text(jsonBody(request).FunctionName) : id;
  const qualifier = query.get('Qualifier');
  const suffix = qualifier && !nameOrArn.includes(`:${qualifier}`) ? `:${qualifier}` : '';
  const functionArn =
    (nameOrArn.startsWith('arn:') ? nameOrArn : arnIn(request)('lambda', `function:${nameOrArn}`)) + suffix;
  if (kind === 'tags') {
    const action = TAGGING[method];
    return action ? [{ action: `lambda:${action}`, resource: functionArn }] : undefined;
  }
  if (kind === 'account-settings') return [{ action: 'lambda:GetAccountSettings', resource: '*' }];
  if (method === 'GET' && nameOrArn === '') return [{ action: 'lambda:ListFunctions', resource: '*' }];
  const action = ACTIONS[`${method} ${part}${item ? '/item' : ''}`];
  if (!action) return undefined;
  const accesses = [{ action: `lambda:${action}`, resource: functionArn }];
  return CHANGES.has(action) ? [...accesses, ...dependentAccesses(request, functionArn)] : accesses;
};
