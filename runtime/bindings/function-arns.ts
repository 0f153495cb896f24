import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

/** Returns the ARN of an application's function up to the application's id. */
export const functionArnPrefix = (cell?: RemoteCell) => cell?.functionArnPrefix ?? required('APP_FUNCTION_ARN_PREFIX');
