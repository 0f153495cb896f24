import { createBuildRunner } from '../../providers/builds/build-runner.ts';
import { callAws } from '../aws/client.ts';
import { required } from '../config.ts';

export const buildRegion = required('BUILD_REGION');

export const buildRunner = createBuildRunner(
  (operation, input) => callAws('codebuild', operation, input, { region: buildRegion }),
  required('BUILD_PROJECT_NAME'),
);
