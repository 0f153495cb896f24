import { useCheck, useMe } from '../domains/api.ts';
import { OrderForm } from '../domains/OrderForm.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';

const BACK = { href: '/domains', name: 'Domains' };

/** Orders one name. Its price is asked for again: what is shown is what is paid. */
export function OrderScreen({ name }: { name: string }) {
  const check = useCheck(name);
  const me = useMe();
  return (
    <Screen title={`Order ${name}`} back={BACK}>
      <Loaded query={me}>
        {({ data: { account } }) => (
          <Loaded query={check}>
            {({ data }) => (
              <OrderForm name={name} price={data.find(({ domain }) => domain === name)?.price} account={account} />
            )}
          </Loaded>
        )}
      </Loaded>
    </Screen>
  );
}
