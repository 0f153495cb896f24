import * as z from 'zod/mini';
import { memoize } from '../../../contract/memoize.ts';

const text = () => z.catch(z.optional(z.string()), undefined);
const packages = () => z.catch(z.record(z.string(), z.unknown()), {});

/** Returns the entries that are strings. npm also ignores others, such as comments in an array. */
const onlyStrings = (record: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

/**
 * Returns the scripts, trimmed, without an empty start script: for npm, too, a package with one has none. Other empty scripts can be run, and
 * do nothing.
 */
const usableScripts = (scripts: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(onlyStrings(scripts))
      .map(([name, command]) => [name, command.trim()] as const)
      .filter(([name, command]) => name !== 'start' || command !== ''),
  );

/** The programs with which a package is developed: one or an array (https://docs.npmjs.com/cli/configuring-npm/package-json#devengines). */
const engines = () => {
  const engine = () => z.object({ name: z.string(), version: text() });
  return z.catch(z.optional(z.union([engine(), z.array(engine())])), undefined);
};

/** The commands with which nodemon runs files: one for all files, or one for each extension (https://github.com/remy/nodemon#config-files). */
const NodemonConfig = memoize(() => z.object({ exec: text(), execMap: z.pipe(packages(), z.transform(onlyStrings)) }));
export type NodemonConfig = z.output<ReturnType<typeof NodemonConfig>>;
export const NO_CONFIG: NodemonConfig = { exec: undefined, execMap: {} };

/** Parses the text of a nodemon.json. Returns {@link NO_CONFIG} if it is invalid. */
export function parseNodemonConfig(json: string): NodemonConfig {
  try {
    return NodemonConfig().safeParse(parseNpmJson(json)).data ?? NO_CONFIG;
  } catch {
    return NO_CONFIG;
  }
}

/** The fields of package.json that the platform reads. A field of an unexpected type counts as absent. */
const Manifest = memoize(() =>
  z.object({
    name: text(),
    main: text(),
    packageManager: text(),
    engines: z.catch(z.object({ node: text(), pnpm: text() }), { node: undefined, pnpm: undefined }),
    devEngines: z.catch(z.optional(z.object({ runtime: engines(), packageManager: engines() })), undefined),
    volta: z.catch(z.object({ node: text() }), { node: undefined }),
    nodemonConfig: z.catch(z.optional(NodemonConfig()), undefined),
    scripts: z.pipe(packages(), z.transform(usableScripts)),
    workspaces: z.optional(z.unknown()),
    dependencies: packages(),
    devDependencies: packages(),
    optionalDependencies: packages(),
    peerDependencies: packages(),
  }),
);
export type Manifest = z.output<ReturnType<typeof Manifest>>;

/** A package.json that cannot be used; the message is for the application's owner. */
export class InvalidManifest extends Error {}

/** Parses JSON and ignores a byte order mark, as npm does. Throws SyntaxError. */
export const parseNpmJson = (text: string): unknown => JSON.parse(text.replace(/^\ufeff/, ''));

/** Parses the text of a package.json. Throws {@link InvalidManifest} if it is not a JSON object. */
export function parseManifest(json: string): Manifest {
  let content: unknown;
  try {
    content = parseNpmJson(json);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new InvalidManifest(`package.json is not valid JSON: ${reason}.`);
  }
  const manifest = Manifest().safeParse(content);
  if (!manifest.success || Array.isArray(content)) throw new InvalidManifest('package.json is not a JSON object.');
  return manifest.data;
}
