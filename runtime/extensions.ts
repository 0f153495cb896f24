import { extensionsOnSale } from '../domain/registrar/tlds.ts';
import { deps } from './deps.ts';

/** The extensions on sale as this process knows them. */
export const extensions = extensionsOnSale(deps);
