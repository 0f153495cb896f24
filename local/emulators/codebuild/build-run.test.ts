import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startChildren } from '../../processes/children.ts';
import { type Build, parseBuildspec, runBuild } from './build-run.ts';

test('the directory of a failed build is removed although a full disk does not take its record', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'build-run-'));
  const children = startChildren(dataDir);
  onTestFinished(async () => {
    await children.stop();
    rmSync(dataDir, { recursive: true });
  });
  const [sourceDir, directory] = [join(dataDir, 'source'), join(dataDir, 'build')];
  mkdirSync(sourceDir);
  const build: Build = {
    id: 'builder:1',
    arn: 'arn:aws:codebuild:eu-west-1:000000000000:build/builder:1',
    projectName: 'builder',
    buildNumber: 1,
    buildStatus: 'IN_PROGRESS',
    buildComplete: false,
    currentPhase: 'QUEUED',
    startTime: 0,
    initiator: 'local',
    timeoutInMinutes: 5,
    environment: {
      type: 'ARM_CONTAINER',
      image: 'local',
      computeType: 'BUILD_GENERAL1_MEDIUM',
      environmentVariables: [],
    },
    phases: [],
  };
  const report = vi.spyOn(console, 'error').mockReturnValue();
  const full = new Error('ENOSPC');
  const run = runBuild({
    build,
    spec: parseBuildspec(JSON.stringify({ phases: { build: { commands: ['exit 1'] } } })),
    sourceDir,
    directory,
    environment: {},
    memoryMb: 200,
    children,
    changed() {
      if (build.buildComplete) throw full;
    },
  });
  await run.ended;
  expect(build.buildStatus).toBe('FAILED');
  expect(report).toHaveBeenCalledExactlyOnceWith(full);
  await expect.poll(() => existsSync(directory)).toBe(false);
});
