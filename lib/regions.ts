/**
 * Regions in which CodeBuild has ARM containers (`type` of ProjectEnvironment:
 * https://docs.aws.amazon.com/codebuild/latest/APIReference/API_ProjectEnvironment.html). The preflight tests the chosen region.
 */
export const ARM_REGIONS = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'eu-west-1',
  'eu-central-1',
  'sa-east-1',
  'ap-south-1',
  'ap-northeast-1',
  'ap-southeast-1',
  'ap-southeast-2',
];

/**
 * Regions in which Aurora DSQL has endpoints (https://docs.aws.amazon.com/general/latest/gr/dsql.html, read on 2026-11-23). The preflight
 * tests the chosen region.
 */
export const DSQL_REGIONS = [
  'us-east-1',
  'us-east-2',
  'us-west-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'ap-east-1',
  'ap-south-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-southeast-4',
];

/**
 * Regions whose SES identities Cognito uses besides those of the user pool's own region
 * (https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-email.html#user-pool-email-developer-region-mapping). From some
 * regions it uses none of them.
 */
export const COGNITO_MAIL_REGIONS = ['us-east-1', 'us-west-2', 'eu-west-1'];
