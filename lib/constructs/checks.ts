import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';

/** Holds the app against AWS's catalogue of good practice (cdk-nag): a finding that nobody acknowledged fails the synthesis. */
export function check(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
