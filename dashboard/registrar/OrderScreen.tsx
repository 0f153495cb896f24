import { useMe } from '../accounts/api.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { useAvailability } from './api.ts';
import { OrderForm } from './OrderForm.tsx';

const CRUMBS = [{ href: '/domains', name: 'Domains' }];

/** Registration of one domain. Reads the price again, so that the amount shown is the amount charged. */
export function OrderScreen({ name }: { name: string }) {
  const check = useAvailability(name);
  const me = useMe();
  return (
    <Screen title={`Register ${name}`} crumbs={CRUMBS}>
      <QueryBoundary query={me}>
        {({ data: { account } }) => (
          <QueryBoundary query={check}>
            {({ data }) => (
              <OrderForm name={name} price={data.find(({ domain }) => domain === name)?.price} account={account} />
            )}
          </QueryBoundary>
        )}
      </QueryBoundary>
    </Screen>
  );
}
