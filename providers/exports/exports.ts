import type { ObjectGrant, SignGrants } from '../builds/access.ts';
import type { Objects } from '../builds/builds.ts';

/** An upload no longer exists: it has been completed, or has expired and been deleted with its parts. */
export class UploadGone extends Error {
  override readonly name = 'UploadGone';
}

/** Multipart uploads of an object. Each part but the last has at least {@link MIN_PART_BYTES}. */
export interface Uploads {
  /** Begins an upload and returns its id. */
  begin(bucket: string, key: string, contentType: string): Promise<string>;
  /** Uploads a part, replacing an earlier one of the same number (from 1), and returns its tag. Throws {@link UploadGone}. */
  addPart(bucket: string, key: string, part: { uploadId: string; number: number; body: Buffer }): Promise<string>;
  /** Completes the object from its parts. May be repeated. Throws {@link UploadGone} if neither the upload nor the object exists. */
  end(bucket: string, key: string, upload: { uploadId: string; tags: readonly string[] }): Promise<void>;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
export const MIN_PART_BYTES = 5 * 1024 ** 2;

/** The saved state of an archive that is being written, from which its next writer continues. */
export interface Saved {
  state: string;
  /** Bytes that are not uploaded yet, because they are too few for a part. */
  pending: Buffer;
}

export interface ExportId {
  accountId: string;
  id: string;
  createdAt: string;
}

/** Archives of accounts' data, in a folder of the builds bucket that a lifecycle rule empties. */
export interface Exports {
  /** Reads the state of an archive; undefined before its first {@link Exports.save}. */
  read(exportId: ExportId): Promise<Saved | undefined>;
  save(exportId: ExportId, saved: Saved): Promise<void>;
  /** Begins the upload of an archive and returns the upload's id. */
  begin(exportId: ExportId): Promise<string>;
  /** Uploads a part of at least {@link MIN_PART_BYTES}, unless it is the last, and returns its tag. */
  addPart(exportId: ExportId, part: { uploadId: string; number: number; body: Buffer }): Promise<string>;
  /** Completes an archive from its parts. May be repeated. */
  end(exportId: ExportId, upload: { uploadId: string; tags: readonly string[] }): Promise<void>;
  /** Deletes an archive and its state. May be repeated. */
  remove(exportId: ExportId): Promise<void>;
}

const folderOf = ({ accountId, id }: ExportId) => `exports/${accountId}/${id}`;
const stateKey = (exportId: ExportId) => `${folderOf(exportId)}/state`;
/** The last segment of the key becomes the file name in the browser. */
const archiveKey = (exportId: ExportId) =>
  `${folderOf(exportId)}/hosting-export-${exportId.createdAt.slice(0, 10)}.zip`;

/** Stores archives in the builds bucket. */
export function createExports(
  { getObject, putObject, deleteObject }: Objects,
  uploads: Uploads,
  bucket: string,
): Exports {
  return {
    async read(exportId) {
      const stored = await getObject(bucket, stateKey(exportId));
      if (!stored) return undefined;
      const length = stored.readUInt32BE(0);
      return { state: stored.toString('utf8', 4, 4 + length), pending: stored.subarray(4 + length) };
    },
    async save(exportId, { state, pending }) {
      const text = Buffer.from(state);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      await putObject(bucket, stateKey(exportId), Buffer.concat([length, text, pending]), 'application/octet-stream');
    },
    begin: (exportId) => uploads.begin(bucket, archiveKey(exportId), 'application/zip'),
    addPart: (exportId, part) => uploads.addPart(bucket, archiveKey(exportId), part),
    end: (exportId, upload) => uploads.end(bucket, archiveKey(exportId), upload),
    async remove(exportId) {
      for (const key of [archiveKey(exportId), stateKey(exportId)]) await deleteObject(bucket, key);
    },
  };
}

/** Seconds for which a link to an archive is valid. */
export const LINK_SECONDS = 900;

/** Creates links to archives. A link gives read access to one archive until it expires. */
export interface ExportLinks {
  create(exportId: ExportId): Promise<string>;
}

/** Creates links that are valid for {@link LINK_SECONDS}. */
export const createExportLinks = (sign: SignGrants): ExportLinks => ({
  async create(exportId) {
    const grant: ObjectGrant = { method: 'GET', key: archiveKey(exportId), headers: {} };
    const [signed] = await sign([grant], { name: exportId.id, seconds: LINK_SECONDS });
    if (!signed) throw new Error('the request for the archive was not signed');
    return signed.url;
  },
});
