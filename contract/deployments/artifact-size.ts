import { AWS_LIMITS } from '../limits/aws-limits.ts';

/**
 * The space in bytes reserved for the layer of an application's function and the platform's files in its artifact. The Lambda Web
 * Adapter is one program of less than 10 MiB, and the platform's files take less than 1 MiB.
 */
export const MAX_LAYER_BYTES = 15 * 1024 ** 2;

/** The maximum unpacked size in bytes of a built application. Lambda's limit covers code and layers together. */
export const MAX_ARTIFACT_BYTES = AWS_LIMITS.lambdaUnzippedBytes.value - MAX_LAYER_BYTES;
