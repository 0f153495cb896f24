import { minVersion, satisfies, validRange } from 'semver';
import { NODE_VERSIONS } from '../../../contract/enums.ts';
import type { Job } from '../builds.ts';
import type { Manifest } from './manifest.ts';

type NodeVersion = Job['nodeVersion'];

/** A major version of Node, and what the owner should know about the choice. */
export interface NodeChoice {
  version: NodeVersion;
  note: string | undefined;
}

/** Newest versions last, as their numbers. */
const ASCENDING = [...NODE_VERSIONS].sort((a, b) => Number(a) - Number(b));

/**
 * Chooses the version of Node by `engines.node` of package.json. A version that the owner set wins, with a warning where the
 * package requires another; npm itself only warns too. A range that npm cannot parse is ignored.
 */
export function chooseNode(
  { nodeVersion, nodeVersionByDefault = false }: Pick<Job, 'nodeVersion' | 'nodeVersionByDefault'>,
  manifest: Pick<Manifest, 'engines'> | undefined,
): NodeChoice {
  const required = manifest?.engines.node;
  // The highest possible version of each major, because the exact version is not known here.
  const matches = (major: NodeVersion) => required !== undefined && satisfies(`${major}.999.999`, required);
  if (required === undefined || validRange(required) === null || matches(nodeVersion)) {
    return { version: nodeVersion, note: undefined };
  }
  const matching = ASCENDING.filter(matches);
  if (!nodeVersionByDefault) {
    const advice = matching.length > 0 ? `set nodeVersion to ${matching.join(' or ')}` : 'no available version matches';
    const note = `warning: package.json requires Node ${required} (engines.node), but nodeVersion is ${nodeVersion}: ${advice}`;
    return { version: nodeVersion, note };
  }
  const newest = matching.at(-1);
  if (newest !== undefined)
    return { version: newest, note: `package.json requires Node ${required} (engines.node): using Node ${newest}` };
  const wanted = minVersion(required)?.major ?? 0;
  const nearest = ASCENDING.find((major) => Number(major) >= wanted) ?? ASCENDING.at(-1) ?? nodeVersion;
  const note = `warning: package.json requires Node ${required} (engines.node), which is not available: using Node ${nearest}`;
  return { version: nearest, note };
}
