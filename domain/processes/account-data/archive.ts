import { MAX_ENTRIES, packDirectory, packFile } from '../../../providers/archives/zip.ts';
import { type ExportId, type Exports, MIN_PART_BYTES, UploadGone } from '../../../providers/exports/exports.ts';

/** Minimum size of an uploaded part in bytes. It is above S3's minimum, so that uploads have fewer parts. */
const PART_BYTES = Math.max(8 * 1024 ** 2, MIN_PART_BYTES);
/** Maximum size of an archive in bytes. A larger one would need ZIP's 64-bit format. */
const MAX_BYTES = 0xf000_0000;
const FILE_MODE = 0o100644;

/** The archive would exceed the limits of the ZIP format. */
export class ArchiveTooLarge extends Error {}

/** The saved state of an unfinished archive. */
interface State<C> {
  uploadId: string;
  /** The tags of the uploaded parts. */
  tags: string[];
  /** Total length of the files so far, in bytes. */
  offset: number;
  /** Entries of the ZIP directory, in base 64. */
  lines: string[];
  /** The writer's position. */
  cursor: C;
}

/** An archive that several processes write one after another, in one multipart upload that the last process completes. */
export interface Archive<C> {
  cursor: C;
  /** Length so far, in bytes. */
  size(): number;
  /** Adds a file. If the process crashes before the next {@link save}, the file is not in the archive. */
  add(path: string, content: Buffer): Promise<void>;
  /** Saves the added files and the cursor. */
  save(): Promise<void>;
  /** Adds the directory and completes the upload. Idempotent. */
  end(): Promise<void>;
}

/** Opens an archive in its saved state, or starts a new one with the cursor `first`. */
export async function openArchive<C>(exports: Exports, exportId: ExportId, first: C): Promise<Archive<C>> {
  const saved = await exports.read(exportId);
  const state: State<C> = saved
    ? (JSON.parse(saved.state) as State<C>)
    : { uploadId: await exports.begin(exportId), tags: [], offset: 0, lines: [], cursor: first };
  let pending = saved?.pending ?? Buffer.alloc(0);

  /** Uploads a part. If the process crashes before the state is saved, the next process uploads the same part again. */
  const upload = async (body: Buffer) => {
    const { uploadId, tags } = state;
    tags.push(await exports.addPart(exportId, { uploadId, number: tags.length + 1, body }));
  };
  return {
    get cursor() {
      return state.cursor;
    },
    set cursor(cursor) {
      state.cursor = cursor;
    },
    size: () => state.offset,
    async add(path, content) {
      const { bytes, entry } = packFile(path, content, FILE_MODE, state.offset);
      if (state.lines.length + 1 > MAX_ENTRIES || state.offset + bytes.length > MAX_BYTES)
        throw new ArchiveTooLarge('the archive exceeds the limits of the ZIP format');
      state.lines.push(entry.toString('base64'));
      state.offset += bytes.length;
      pending = Buffer.concat([pending, bytes]);
      if (pending.length < PART_BYTES) return;
      await upload(pending);
      pending = Buffer.alloc(0);
    },
    save: () => exports.save(exportId, { state: JSON.stringify(state), pending }),
    async end() {
      const lines = state.lines.map((line) => Buffer.from(line, 'base64'));
      const { uploadId, tags, offset } = state;
      const body = Buffer.concat([pending, packDirectory(lines, offset)]);
      // An earlier call may have completed the upload already. `exports.end` checks this.
      const last = await exports
        .addPart(exportId, { uploadId, number: tags.length + 1, body })
        .catch((error: unknown) => {
          if (!(error instanceof UploadGone)) throw error;
        });
      await exports.end(exportId, { uploadId, tags: last === undefined ? tags : [...tags, last] });
    },
  };
}
