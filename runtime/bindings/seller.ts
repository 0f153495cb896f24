import type { Seller } from '../../domain/billing/invoice-views.ts';
import { config } from '../config.ts';

/** The company that issues the invoices, from the settings of this installation. */
export const seller: Seller = {
  name: config.SELLER_NAME ?? '',
  address: config.SELLER_ADDRESS ?? '',
  vatNumber: config.SELLER_VAT_NUMBER || null,
};
