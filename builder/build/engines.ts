import { satisfies, validRange } from 'semver';
import { NODE_VERSIONS } from '../../contract/enums.ts';
import { BuildFailure } from '../failure.ts';
import type { Manifest } from '../install/manifest.ts';

/**
 * Checks the Node in use against `engines.node` of package.json. npm only warns about a mismatch, and the application
 * then fails later and less clearly. Ignores a range that npm cannot parse.
 * @param version the full version of the Node in use, e.g. `22.23.3`
 * @throws BuildFailure that names the nodeVersion to set
 */
export function checkEngines({ engines }: Manifest, version: string): void {
  const { node: required } = engines;
  if (required === undefined || validRange(required) === null || satisfies(version, required)) return;
  // The highest possible version of each major, because the exact version is not known here.
  const matching = NODE_VERSIONS.filter((major) => satisfies(`${major}.999.999`, required));
  const advice =
    matching.length > 0
      ? `set nodeVersion to ${matching.join(' or ')}`
      : `change engines.node: available versions are ${NODE_VERSIONS.join(', ')}`;
  throw new BuildFailure(
    `package.json requires Node ${required} (engines.node), but the application uses Node ${version}: ${advice}.`,
  );
}
