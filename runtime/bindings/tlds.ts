import { tldsOnSale } from '../../domain/registrar/tlds.ts';
import { deps } from '../deps.ts';

/** The domain extensions on sale, cached in this process. */
export const tlds = tldsOnSale(deps);
