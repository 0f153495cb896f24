import { createExports } from '../../providers/exports/exports.ts';
import { deleteObject, getObject, putObject } from '../aws/objects.ts';
import { uploads } from '../aws/uploads.ts';
import { required } from '../config.ts';

export const exports = createExports({ getObject, putObject, deleteObject }, uploads, required('BUILDS_BUCKET'));
