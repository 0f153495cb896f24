import { satisfies, validRange } from 'semver';
import { NODE_VERSIONS } from '../contract/enums.ts';
import { BuildFailure } from './failure.ts';
import type { Manifest } from './install/manifest.ts';

/**
 * Holds the Node in use against `engines.node` of package.json, and throws what to set instead. npm itself only warns, and
 * the application then fails later and less clearly. A range that npm cannot read says nothing.
 * @param version of the Node in use, e.g. `22.23.3`
 */
export function checkEngines({ engines }: Manifest, version: string): void {
  const { node: wanted } = engines;
  if (wanted === undefined || validRange(wanted) === null || satisfies(version, wanted)) return;
  // Any version that a major could have: which one it would be is not known here.
  const fitting = NODE_VERSIONS.filter((major) => satisfies(`${major}.999.999`, wanted));
  const advice =
    fitting.length > 0
      ? `set nodeVersion to ${fitting.join(' or ')}`
      : `change engines.node: there is ${NODE_VERSIONS.join(', ')}`;
  throw new BuildFailure(
    `package.json asks for Node ${wanted} (engines.node), and the application is set to Node ${version}: ${advice}.`,
  );
}
