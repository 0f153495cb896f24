import { UploadGone, type Uploads } from '../../providers/exports/exports.ts';
import { AwsError, getObject, OBJECT_TIMEOUT_MS, objectPath, requestS3, s3Error, withRetries } from './client.ts';

/** Uploads of objects in parts (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */

const textIn = (body: Buffer, element: string): string | undefined =>
  new RegExp(`<${element}>([^<]+)</${element}>`).exec(body.toString('utf8'))?.[1];

const send = (method: string, path: string, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  withRetries(async () => {
    const response = await requestS3({ method, path, headers, body, timeout: OBJECT_TIMEOUT_MS });
    // S3 may answer the end of an upload with 200 and an error in the document.
    if (response.status !== 200 || textIn(response.body, 'Code')) throw s3Error(response.status, response.body);
    return response;
  }, OBJECT_TIMEOUT_MS);

const isUploadGone = (error: unknown) => error instanceof AwsError && error.name === 'NoSuchUpload';

export const uploads: Uploads = {
  async begin(bucket, key, contentType) {
    const { body } = await send('POST', `${objectPath(bucket, key)}?uploads=`, '', { 'content-type': contentType });
    const uploadId = textIn(body, 'UploadId');
    if (uploadId === undefined) throw new Error('S3 began an upload without saying its id');
    return uploadId;
  },
  async addPart(bucket, key, { uploadId, number, body }) {
    const query = `partNumber=${number}&uploadId=${encodeURIComponent(uploadId)}`;
    const { headers } = await send('PUT', `${objectPath(bucket, key)}?${query}`, body, {
      'content-type': 'application/octet-stream',
    }).catch((error: unknown) => {
      throw isUploadGone(error) ? new UploadGone(`the upload of ${key} is gone`) : error;
    });
    const tag = headers.etag;
    if (typeof tag !== 'string') throw new Error('S3 took a part of an upload without saying its tag');
    return tag;
  },
  async end(bucket, key, { uploadId, tags }) {
    const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const document = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const query = `uploadId=${encodeURIComponent(uploadId)}`;
    const path = objectPath(bucket, key);
    try {
      await send('POST', `${path}?${query}`, document, { 'content-type': 'application/xml' });
    } catch (error) {
      if (!isUploadGone(error)) throw error;
      // An earlier end, whose answer was lost, has made the object.
      if ((await getObject(bucket, key)) === undefined) throw new UploadGone(`the upload of ${key} is gone`);
    }
  },
};
