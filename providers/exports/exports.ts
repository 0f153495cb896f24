import type { ObjectGrant, SignGrants } from '../builds/access.ts';
import type { Objects } from '../builds/builds.ts';

/** An upload is no more: it has ended, or was too old and deleted with its parts. */
export class UploadGone extends Error {
  override readonly name = 'UploadGone';
}

/** Uploads of an object in parts, each of at least {@link MIN_PART_BYTES} but the last. */
export interface Uploads {
  /** Begins an upload and returns its id. */
  begin(bucket: string, key: string, contentType: string): Promise<string>;
  /** Uploads a part, replacing an earlier one of the same number (from 1), and returns its tag. Throws {@link UploadGone}. */
  addPart(bucket: string, key: string, part: { uploadId: string; number: number; body: Buffer }): Promise<string>;
  /** Makes the object of its parts. May be repeated. Throws {@link UploadGone} where there is no object either. */
  end(bucket: string, key: string, upload: { uploadId: string; tags: readonly string[] }): Promise<void>;
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
export const MIN_PART_BYTES = 5 * 1024 ** 2;

/** The state of an archive that is being written: what its next writer continues from. */
export interface Saved {
  state: string;
  /** Bytes that are not uploaded yet: too few for a part. */
  pending: Buffer;
}

export interface ExportId {
  accountId: string;
  id: string;
  createdAt: string;
}

/** The archives of accounts' data, in a folder of the builds bucket that a lifecycle rule empties. */
export interface Exports {
  read(of: ExportId): Promise<Saved | undefined>;
  save(of: ExportId, saved: Saved): Promise<void>;
  begin(of: ExportId): Promise<string>;
  addPart(of: ExportId, part: { uploadId: string; number: number; body: Buffer }): Promise<string>;
  end(of: ExportId, upload: { uploadId: string; tags: readonly string[] }): Promise<void>;
  /** Deletes an archive and its state. May be repeated. */
  remove(of: ExportId): Promise<void>;
}

const folderOf = ({ accountId, id }: ExportId) => `exports/${accountId}/${id}`;
const stateKey = (of: ExportId) => `${folderOf(of)}/state`;
/** The last part of the key is the file's name in the browser. */
const archiveKey = (of: ExportId) => `${folderOf(of)}/hosting-export-${of.createdAt.slice(0, 10)}.zip`;

export function createExports(
  { getObject, putObject, deleteObject }: Objects,
  uploads: Uploads,
  bucket: string,
): Exports {
  return {
    async read(of) {
      const stored = await getObject(bucket, stateKey(of));
      if (!stored) return undefined;
      const length = stored.readUInt32BE(0);
      return { state: stored.toString('utf8', 4, 4 + length), pending: stored.subarray(4 + length) };
    },
    async save(of, { state, pending }) {
      const text = Buffer.from(state);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(text.length);
      await putObject(bucket, stateKey(of), Buffer.concat([length, text, pending]), 'application/octet-stream');
    },
    begin: (of) => uploads.begin(bucket, archiveKey(of), 'application/zip'),
    addPart: (of, part) => uploads.addPart(bucket, archiveKey(of), part),
    end: (of, upload) => uploads.end(bucket, archiveKey(of), upload),
    async remove(of) {
      for (const key of [archiveKey(of), stateKey(of)]) await deleteObject(bucket, key);
    },
  };
}

/** Seconds for which a link to an archive is valid. */
export const LINK_SECONDS = 900;

/** Creates links to archives. A link reads its archive, and nothing else, until it expires. */
export interface ExportLinks {
  create(of: ExportId): Promise<string>;
}

export const createExportLinks = (sign: SignGrants): ExportLinks => ({
  async create(of) {
    const grant: ObjectGrant = { method: 'GET', key: archiveKey(of), headers: {} };
    const [signed] = await sign([grant], { name: of.id, seconds: LINK_SECONDS });
    if (!signed) throw new Error('nothing was signed');
    return signed.url;
  },
});
