import { getWallet as route } from '../../contract/billing/wallet.ts';
import { getWallet } from '../../domain/billing/wallet-view.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/wallet */
export const handler = endpoint(route, getWallet);
