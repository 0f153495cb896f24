import { setTimeout as pause } from 'node:timers/promises';
import { watchBuild } from '../../domain/deployments/build.ts';
import { WatchInput } from '../../domain/deployments/inputs.ts';
import { withVerdict } from '../../domain/deployments/verdict.ts';
import { buildRunner } from '../../runtime/bindings/build-runner.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { deps } from '../../runtime/deps.ts';
import { reportQueued } from '../../runtime/observability/deployment-metrics.ts';
import { step } from '../../runtime/triggers/step.ts';

const watch = async (needs: Parameters<typeof watchBuild>[0], input: Parameters<typeof watchBuild>[1]) =>
  reportQueued(input, await watchBuild(needs, input));

/** Checks a build repeatedly until it ends or waits for a builder. */
export const handler = step(WatchInput, (input) => withVerdict(watch, { ...deps, buildRunner, builds, pause }, input));
