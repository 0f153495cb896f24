import { UploadGone, type Uploads } from '../../providers/exports/exports.ts';
import { AwsError } from './client.ts';
import { getObject, objectPath, sendS3 } from './objects.ts';
import { textIn } from './rest.ts';

/** Multipart uploads to S3 (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html). */

const isUploadGone = (error: unknown) => error instanceof AwsError && error.name === 'NoSuchUpload';

export const uploads: Uploads = {
  async begin(bucket, key, contentType) {
    const { body } = await sendS3('POST', `${objectPath(bucket, key)}?uploads=`, {
      headers: { 'content-type': contentType },
    });
    const uploadId = textIn(body, 'UploadId');
    if (uploadId === undefined) throw new Error('S3 started an upload without an id');
    return uploadId;
  },
  async addPart(bucket, key, { uploadId, number, body }) {
    const query = `partNumber=${number}&uploadId=${encodeURIComponent(uploadId)}`;
    const { headers } = await sendS3('PUT', `${objectPath(bucket, key)}?${query}`, {
      headers: { 'content-type': 'application/octet-stream' },
      body,
    }).catch((error: unknown) => {
      throw isUploadGone(error) ? new UploadGone(`the upload of ${key} is gone`) : error;
    });
    const tag = headers.etag;
    if (typeof tag !== 'string') throw new Error('S3 accepted a part of an upload without a tag');
    return tag;
  },
  async end(bucket, key, { uploadId, tags }) {
    const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const document = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const query = `uploadId=${encodeURIComponent(uploadId)}`;
    const path = objectPath(bucket, key);
    try {
      await sendS3('POST', `${path}?${query}`, { headers: { 'content-type': 'application/xml' }, body: document });
    } catch (error) {
      if (!isUploadGone(error)) throw error;
      // An earlier call, whose response was lost, has completed the upload.
      if ((await getObject(bucket, key)) === undefined) throw new UploadGone(`the upload of ${key} is gone`);
    }
  },
};
