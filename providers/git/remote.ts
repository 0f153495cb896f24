import { toSendError } from '../webhooks/send-errors.ts';
import { type GitResponse, ResponseTooLarge, requestGit } from './http.ts';
import { type GitObject, InvalidPack, readPack, readTree, type TreeEntry } from './packfile.ts';
import { decodePackets, encodeCommand, InvalidPackets, linesOf } from './pkt-line.ts';

/** A branch with its newest commit. */
export interface RemoteBranch {
  name: string;
  commit: string;
}

/** A repository of a Git host, read over HTTPS without a clone. */
export interface RemoteRepository {
  /** In the host's order. */
  branches: readonly RemoteBranch[];
  /** Undefined if the host reports none, as for an empty repository. */
  defaultBranch: string | undefined;
  /** False if the host can send only whole commits. The repository's files are then not read. */
  canReadFiles: boolean;
  /** Lists the root directory of a commit. */
  readRoot(commit: string): Promise<TreeEntry[]>;
  /** Lists a directory. */
  readDirectory(id: string): Promise<TreeEntry[]>;
  /** Reads a file of at most {@link MAX_FILE_BYTES}. */
  readFile(id: string): Promise<string>;
}

export interface RemoteOptions {
  /** True on the local run: allows repositories on this machine. */
  allowLocal: boolean;
  /** Base URL that replaces `https://git.localhost/` on the local run. */
  localUrl?: string | undefined;
  /** Time limit of all requests of one repository together, in milliseconds. */
  deadlineMs: number;
}

/** A repository cannot be read. The message is for the application's owner. */
export class UnreadableRepository extends Error {}

/** Maximum size of the list of branches, and of a file or directory, in bytes. */
const MAX_REFS_BYTES = 4 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 3;
const REFS = '/info/refs?service=git-upload-pack';
const HEADS = 'refs/heads/';
const LOCAL = 'https://git.localhost/';

/**
 * Opens a repository. Reads its branches with `ls-refs` of protocol version 2, and files with `fetch` and a filter that excludes everything
 * but the requested object. Source: https://git-scm.com/docs/gitprotocol-v2 and https://git-scm.com/docs/git-rev-list (`--filter`). Throws
 * {@link UnreadableRepository}.
 */
export const openRemote =
  ({ allowLocal, localUrl, deadlineMs }: RemoteOptions) =>
  (repoUrl: string): Promise<RemoteRepository> => {
    const signal = AbortSignal.timeout(deadlineMs);
    const local = localUrl !== undefined && repoUrl.startsWith(LOCAL);
    const start = local ? `${localUrl}/${repoUrl.slice(LOCAL.length)}` : repoUrl;
    const exchange = (url: string, maxBytes: number, body?: string) =>
      withExplainedErrors(repoUrl, signal, () =>
        requestGit(new URL(url), { ...(body === undefined ? {} : { body }), allowLocal, maxBytes, signal }),
      );
    const guard =
      <A, T>(read: (argument: A) => Promise<T>) =>
      (argument: A) =>
        withExplainedErrors(repoUrl, signal, () => read(argument));
    return withExplainedErrors(repoUrl, signal, async () => {
      const opened = await open(repoUrl, start.replace(/\/+$/, ''), exchange);
      const { readRoot, readDirectory, readFile } = opened;
      return {
        ...opened,
        readRoot: guard(readRoot),
        readDirectory: guard(readDirectory),
        readFile: guard(readFile),
      };
    });
  };

export type OpenRemote = ReturnType<typeof openRemote>;

type Exchange = (url: string, maxBytes: number, body?: string) => Promise<GitResponse>;

async function open(repoUrl: string, start: string, exchange: Exchange): Promise<RemoteRepository> {
  const { url, response } = await followRedirects(start, exchange);
  assertGitResponse(repoUrl, response, 'application/x-git-upload-pack-advertisement');
  const lines = linesOf(decodePackets(response.body)).filter((line) => !line.startsWith('# service='));
  // Hosts without version 2 send their branches in this response, and cannot send single files.
  if (lines[0] !== 'version 2')
    return withoutFiles(
      lines.map((line) => line.split('\0')[0] ?? ''),
      symrefOf(lines[0]),
    );
  const post = async (command: string, options: readonly string[], maxBytes: number) => {
    const answer = await exchange(`${url}/git-upload-pack`, maxBytes, encodeCommand(command, options));
    assertGitResponse(repoUrl, answer, 'application/x-git-upload-pack-result');
    return decodePackets(answer.body);
  };
  const prefixes = ['symrefs', 'ref-prefix HEAD', `ref-prefix ${HEADS}`];
  const refs = linesOf(await post('ls-refs', prefixes, MAX_REFS_BYTES));
  const head = /^\S+ HEAD .*?symref-target:(\S+)/m.exec(refs.join('\n'))?.[1];
  const listed = withoutFiles(refs, head);
  const features =
    lines
      .find((line) => line.startsWith('fetch='))
      ?.slice('fetch='.length)
      .split(' ') ?? [];
  const isSha1 = !lines.some((line) => line.startsWith('object-format=') && line !== 'object-format=sha1');
  const fetchObjects = async (id: string, options: readonly string[]) => {
    const packets = await post('fetch', [`want ${id}`, ...options, 'no-progress', 'done'], 2 * MAX_FILE_BYTES);
    return readPack(packfileData(packets), MAX_FILE_BYTES);
  };
  const readObject = async (id: string, type: GitObject['type']): Promise<Buffer> => {
    const object = (await fetchObjects(id, ['filter tree:0'])).get(id);
    if (object?.type !== type) throw new InvalidPack(`the host sent no ${type} ${id}`);
    return object.data;
  };
  return {
    ...listed,
    canReadFiles: isSha1 && features.includes('filter') && features.includes('shallow'),
    readRoot: async (commit) => {
      // The filter excludes the content of the files and directories in the root directory.
      const objects = await fetchObjects(commit, ['deepen 1', 'filter tree:1']);
      const tree = /^tree ([0-9a-f]{40})$/m.exec(objects.get(commit)?.data.toString('utf8') ?? '')?.[1] ?? '';
      const root = objects.get(tree);
      if (root?.type !== 'tree') throw new InvalidPack(`the host sent no tree of ${commit}`);
      return readTree(root.data);
    },
    readDirectory: async (id) => readTree(await readObject(id, 'tree')),
    readFile: async (id) => (await readObject(id, 'blob')).toString('utf8'),
  };
}

async function followRedirects(start: string, exchange: Exchange): Promise<{ url: string; response: GitResponse }> {
  let url = start;
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchange(`${url}${REFS}`, MAX_REFS_BYTES);
    const { status, location } = response;
    if (status < 300 || status > 399 || location === undefined || redirects === MAX_REDIRECTS) return { url, response };
    const next = new URL(location, `${url}${REFS}`).href;
    if (!next.endsWith(REFS)) return { url, response };
    url = next.slice(0, -REFS.length);
  }
}

/** Throws {@link UnreadableRepository} unless a response is a successful response of Git's protocol. */
function assertGitResponse(repoUrl: string, { status, type }: GitResponse, expected: string): void {
  if (status === 200 && type.startsWith(expected)) return;
  if (status === 401 || status === 403 || status === 404) {
    throw new UnreadableRepository(
      `${repoUrl} was not found, or is private. For a private repository, use its SSH address (git@host:path) and a deploy key.`,
    );
  }
  if (status >= 500 || status === 429) {
    throw new UnreadableRepository(`The host of ${repoUrl} cannot answer at the moment (HTTP ${status}).`);
  }
  throw new UnreadableRepository(`There is no Git repository at ${repoUrl}.`);
}

const symrefOf = (first = ''): string | undefined => /\bsymref=HEAD:(\S+)/.exec(first)?.[1];

/** Returns a repository that lists only branches, from lines such as `<id> refs/heads/main`. */
function withoutFiles(refs: readonly string[], head: string | undefined): RemoteRepository {
  const unsupported = () => Promise.reject(new InvalidPack('the host sends no single files'));
  const branches = refs.flatMap((line) => {
    const [, commit = '', ref = ''] = /^([0-9a-f]+) (\S+)/.exec(line) ?? [];
    return ref.startsWith(HEADS) ? [{ name: ref.slice(HEADS.length), commit }] : [];
  });
  const defaultBranch = head?.startsWith(HEADS) ? head.slice(HEADS.length) : undefined;
  return {
    branches,
    defaultBranch,
    canReadFiles: false,
    readRoot: unsupported,
    readDirectory: unsupported,
    readFile: unsupported,
  };
}

/** Joins the data of the section `packfile` of a fetch response, whose packets begin with the number of a channel. */
function packfileData(packets: ReturnType<typeof decodePackets>): Buffer {
  const from = packets.findIndex((packet) => typeof packet !== 'string' && packet.toString('utf8') === 'packfile\n');
  const parts = from < 0 ? [] : packets.slice(from + 1);
  return Buffer.concat(
    parts.flatMap((packet) => {
      if (typeof packet === 'string') return [];
      if (packet[0] === 3) throw new InvalidPack(packet.toString('utf8', 1).trim());
      return packet[0] === 1 ? [packet.subarray(1)] : [];
    }),
  );
}

/** Runs work and converts its errors to messages for the application's owner. */
async function withExplainedErrors<T>(repoUrl: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableRepository) throw error;
    throw new UnreadableRepository(explain(repoUrl, signal, error));
  }
}

function explain(repoUrl: string, signal: AbortSignal, error: unknown): string {
  if (signal.aborted) return `The host of ${repoUrl} did not answer in time.`;
  if (error instanceof ResponseTooLarge) return `${repoUrl} has more branches or larger files than can be shown.`;
  if (error instanceof InvalidPackets || error instanceof InvalidPack) {
    return `The response of the host of ${repoUrl} could not be read.`;
  }
  switch (toSendError(error).outcome) {
    case 'DNS':
      return `The host of ${repoUrl} was not found.`;
    case 'BLOCKED_ADDRESS':
      return `The host of ${repoUrl} is not at a public address.`;
    case 'TLS':
      return `The host of ${repoUrl} has no valid certificate.`;
    default:
      return `The host of ${repoUrl} could not be reached.`;
  }
}
