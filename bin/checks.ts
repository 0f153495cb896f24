import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';

/** Checks the app against AWS's good practices (cdk-nag). A finding without an acknowledgement fails the synthesis. */
export function applyNagChecks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
