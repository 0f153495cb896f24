import type { Access } from '../authorizer.ts';
import { type JsonOperation, jsonOperations, type Operations, text } from './operation.ts';

const onQueue =
  (action: string): JsonOperation =>
  ({ QueueUrl }, arn) => [{ action: `sqs:${action}`, resource: arn('sqs', text(QueueUrl).split('/').at(-1) ?? '') }];

/** A batch operation needs the right of the corresponding single operation. */
export const sqs = jsonOperations({
  SendMessage: onQueue('SendMessage'),
  SendMessageBatch: onQueue('SendMessage'),
  ReceiveMessage: onQueue('ReceiveMessage'),
  DeleteMessage: onQueue('DeleteMessage'),
  DeleteMessageBatch: onQueue('DeleteMessage'),
  ChangeMessageVisibility: onQueue('ChangeMessageVisibility'),
  ChangeMessageVisibilityBatch: onQueue('ChangeMessageVisibility'),
  GetQueueAttributes: onQueue('GetQueueAttributes'),
  GetQueueUrl: ({ QueueName }, arn) => [{ action: 'sqs:GetQueueUrl', resource: arn('sqs', text(QueueName)) }],
});

/** Actions on objects and buckets, by method. All other S3 operations have a subresource in the query. */
const ON_OBJECT: Readonly<Record<string, string>> = {
  GET: 'GetObject',
  HEAD: 'GetObject',
  PUT: 'PutObject',
  DELETE: 'DeleteObject',
};
const ON_BUCKET: Readonly<Record<string, string>> = { GET: 'ListBucket', HEAD: 'ListBucket' };
/** Query parameters that do not select another operation: paging, multipart uploads, the SDK's parameters, and signatures. */
const PLAIN = /^(list-type|prefix|delimiter|max-keys|continuation-token|start-after|uploadId|uploads|partNumber|x-id)$/;
const isPlain = (name: string): boolean => PLAIN.test(name) || /^x-amz-/i.test(name);

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html */
export const s3: Operations = ({ method, path, query, headers }) => {
  if (![...query.keys()].every(isPlain)) return undefined;
  const [bucket = '', ...key] = decodeURIComponent(path.slice(1)).split('/');
  const isObject = key.join('/') !== '';
  // A multipart upload begins and ends with a POST.
  const isUpload = isObject && method === 'POST' && (query.has('uploads') || query.has('uploadId'));
  const action = isUpload ? 'PutObject' : (isObject ? ON_OBJECT : ON_BUCKET)[method];
  if (action === undefined) return undefined;
  const accesses: Access[] = [
    { action: `s3:${action}`, resource: `arn:aws:s3:::${[bucket, ...key].join('/').replace(/\/$/, '')}` },
  ];
  const source = headers['x-amz-copy-source'];
  if (source) {
    const copied = decodeURIComponent(String(source)).replace(/^\//, '');
    accesses.push({ action: 's3:GetObject', resource: `arn:aws:s3:::${copied}` });
  }
  return accesses;
};

/** Returns the right without which S3 answers 403 instead of 404 for a missing object. */
export const listRightOf = (path: string): Access => ({
  action: 's3:ListBucket',
  resource: `arn:aws:s3:::${decodeURIComponent(path.slice(1)).split('/')[0]}`,
});
