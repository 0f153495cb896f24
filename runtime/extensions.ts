import { extensionsOnSale } from '../domain/extensions.ts';
import { deps } from './deps.ts';

/** The extensions on sale as this process knows them. */
export const extensions = extensionsOnSale(deps);
