/** The layer with the AWS command line in which CDK's BucketDeployment runs (lib/stacks/web-app.ts). */
export { ASSET_FILE, LAYER_SOURCE_DIR } from 'awscli-layer';
