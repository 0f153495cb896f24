import { AWS_LIMITS } from '../limits/aws-limits.ts';

/**
 * Space in bytes that the layer of an application's function and the platform's own files in its artifact may take: the
 * Lambda Web Adapter is one program of less than 10 MiB, the platform's files are less than 1 MiB.
 */
export const MAX_LAYER_BYTES = 15 * 1024 ** 2;

/** Size in bytes of an application after its build, unpacked: the limit of Lambda holds for code and layers together. */
export const MAX_ARTIFACT_BYTES = AWS_LIMITS.lambdaUnzippedBytes.value - MAX_LAYER_BYTES;
