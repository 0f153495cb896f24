import { useState } from 'react';
import { useMe } from '../api/use-me.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { isForSale, useAvailability } from './api.ts';
import { OrderForm } from './OrderForm.tsx';

const CRUMBS = [{ href: '/domains', name: 'Domains' }];

/** Registration of one domain. Fetches the price again, so that the amount shown is the amount charged. */
export function OrderScreen({ name }: { name: string }) {
  const domain = name.toLowerCase();
  const check = useAvailability(domain);
  const me = useMe();
  // Once shown, the form stays: its own order takes the name, and a retry after a lost response needs the form.
  const [orderable, setOrderable] = useState('');
  const found = check.data?.data.find((result) => result.domain === domain);
  if (found && isForSale(found) && orderable !== domain) setOrderable(domain);
  return (
    <Screen title={`Register ${domain}`} crumbs={CRUMBS}>
      <QueryBoundary query={me}>
        {({ data: { account } }) => (
          <QueryBoundary query={check}>
            {() =>
              found && (isForSale(found) || orderable === domain) ? (
                <OrderForm name={domain} price={found.price} account={account} />
              ) : (
                <EmptyState
                  title={`${domain} cannot be registered here`}
                  action={
                    <ButtonLink href={`/domains?q=${encodeURIComponent(domain)}`} size="xs">
                      Search for another name
                    </ButtonLink>
                  }
                >
                  {found?.available
                    ? 'This is a premium domain, which we do not sell.'
                    : 'This domain is already registered.'}
                </EmptyState>
              )
            }
          </QueryBoundary>
        )}
      </QueryBoundary>
    </Screen>
  );
}
