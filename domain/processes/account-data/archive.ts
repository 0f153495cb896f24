import { MAX_ENTRIES, packDirectory, packFile } from '../../../providers/archives/zip.ts';
import { type ExportId, type Exports, MIN_PART_BYTES, UploadGone } from '../../../providers/exports/exports.ts';

/** Bytes of a part: less than this waits for more. Somewhat above S3's minimum, so that uploads have fewer parts. */
const PART_BYTES = Math.max(8 * 1024 ** 2, MIN_PART_BYTES);
/** Beyond this an archive needs ZIP's 64-bit format. */
const MAX_BYTES = 0xf000_0000;
const FILE_MODE = 0o100644;

/** An archive would be larger than the format holds. */
export class ArchiveTooLarge extends Error {}

/** The state of an archive that is being written, with its writer's position. */
interface State<C> {
  uploadId: string;
  tags: string[];
  /** Length of all files so far. */
  offset: number;
  /** Lines of the directory, in base 64. */
  lines: string[];
  cursor: C;
}

/** An archive that is written by one process after another, in an upload that only the last one ends. */
export interface Archive<C> {
  cursor: C;
  /** Length so far, in bytes. */
  size(): number;
  /** Adds a file. It is safe only once the state is saved: a process that dies before has added nothing. */
  add(path: string, content: Buffer): Promise<void>;
  /** Saves what was added and where to go on. */
  save(): Promise<void>;
  /** Adds the directory and makes the object. May be repeated. */
  end(): Promise<void>;
}

/** Opens an archive where its last writer saved it, or begins it. */
export async function openArchive<C>(exports: Exports, of: ExportId, first: C): Promise<Archive<C>> {
  const saved = await exports.read(of);
  const state: State<C> = saved
    ? (JSON.parse(saved.state) as State<C>)
    : { uploadId: await exports.begin(of), tags: [], offset: 0, lines: [], cursor: first };
  let pending = saved?.pending ?? Buffer.alloc(0);

  /** Uploads a part. A process that dies before the state is saved uploads the same part again. */
  const upload = async (body: Buffer) => {
    const { uploadId, tags } = state;
    tags.push(await exports.addPart(of, { uploadId, number: tags.length + 1, body }));
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
        throw new ArchiveTooLarge('the archive is larger than the format holds');
      state.lines.push(entry.toString('base64'));
      state.offset += bytes.length;
      pending = Buffer.concat([pending, bytes]);
      if (pending.length < PART_BYTES) return;
      await upload(pending);
      pending = Buffer.alloc(0);
    },
    save: () => exports.save(of, { state: JSON.stringify(state), pending }),
    async end() {
      const lines = state.lines.map((line) => Buffer.from(line, 'base64'));
      const { uploadId, tags, offset } = state;
      const body = Buffer.concat([pending, packDirectory(lines, offset)]);
      // An earlier end may have made the object already: the last call tells.
      const last = await exports.addPart(of, { uploadId, number: tags.length + 1, body }).catch((error: unknown) => {
        if (!(error instanceof UploadGone)) throw error;
      });
      await exports.end(of, { uploadId, tags: last === undefined ? tags : [...tags, last] });
    },
  };
}
