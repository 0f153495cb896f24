import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Credentials } from '../config.ts';
import { type HttpResponse, withRetries } from './client.ts';
import { sendSigned, textIn, xmlError } from './rest.ts';

const TIMEOUT_MS = TIMEOUTS_S.aws.object * 1000;

/** Another role, and the region in which it is used. */
interface Access {
  region: string;
  credentials: () => Promise<Credentials>;
}

interface ObjectRequest {
  headers?: Record<string, string>;
  body?: string | Buffer;
  access?: Access;
  /** Statuses that do not count as a failure. Default: 200. */
  accepted?: readonly number[];
}

/** Returns the path of an object in a request to S3. */
export const objectPath = (bucket: string, key: string) =>
  `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Sends a request to S3. Throws `AwsError`. */
export function sendS3(
  method: string,
  path: string,
  { headers = {}, body, access, accepted = [200] }: ObjectRequest = {},
): Promise<HttpResponse> {
  const content = { method, path, headers, ...(body === undefined ? {} : { body }) };
  const request = { ...content, ...access, service: 's3', timeout: TIMEOUT_MS };
  return withRetries(async () => {
    const response = await sendSigned(request);
    // An operation that fails after it has started returns 200 with the error
    // (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html). The body of a GET is the object, which may be any text.
    const { status, body: document } = response;
    const isFailed = !accepted.includes(status) || (status === 200 && method !== 'GET' && textIn(document, 'Code'));
    if (isFailed) throw xmlError('S3', response);
    return response;
  }, TIMEOUT_MS);
}

/** Reads an object; undefined if it does not exist. */
export async function getObject(bucket: string, key: string): Promise<Buffer | undefined> {
  const { status, body } = await sendS3('GET', objectPath(bucket, key), { accepted: [200, 404] });
  return status === 404 ? undefined : body;
}

/** Writes an object, replacing an existing one. */
export async function putObject(bucket: string, key: string, body: string | Buffer, contentType: string) {
  await sendS3('PUT', objectPath(bucket, key), { headers: { 'content-type': contentType }, body });
}

/** Copies an object of at most 5 GB to the same key in another bucket, with a role that has access to both buckets. */
export async function copyObject(from: { bucket: string; key: string }, bucket: string, access: Access) {
  const headers = { 'x-amz-copy-source': objectPath(from.bucket, from.key) };
  await sendS3('PUT', objectPath(bucket, from.key), { headers, access });
}

/** Deletes an object. A missing object is not an error. */
export async function deleteObject(bucket: string, key: string) {
  await sendS3('DELETE', objectPath(bucket, key), { accepted: [204, 404] });
}
