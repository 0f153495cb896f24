import { useMe } from '../accounts/api.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { isForSale, useAvailability } from './api.ts';
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
            {({ data }) => {
              const found = data.find(({ domain }) => domain === name);
              if (found && isForSale(found)) return <OrderForm name={name} price={found.price} account={account} />;
              return (
                <EmptyState
                  title={`${name} cannot be registered here`}
                  action={
                    <ButtonLink href={`/domains?q=${encodeURIComponent(name)}`} size="xs">
                      Search for another name
                    </ButtonLink>
                  }
                >
                  {found?.available ? 'It is a premium name, which we do not sell.' : 'The name is taken.'}
                </EmptyState>
              );
            }}
          </QueryBoundary>
        )}
      </QueryBoundary>
    </Screen>
  );
}
