import { createRegistrar } from '../../providers/registrar/registrar.ts';
import { callAws } from '../aws/client.ts';

export const registrar = createRegistrar((operation, input, options) =>
  callAws('route53domains', operation, input, options),
);
