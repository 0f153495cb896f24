import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useSession } from '../api/context.ts';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';
import { tell } from '../ui/toast.ts';
import { type InvoiceWithLines, useInvoice, usePayInvoice } from './api.ts';

/** One invoice: on the screen and on paper. */
export function InvoiceScreen({ id }: { id: string }) {
  const invoice = useInvoice(id);
  const found = invoice.data?.data;
  return (
    <Screen
      title={found ? `Invoice ${found.number}` : 'Invoice'}
      back={{ href: '/billing/invoices', name: 'Invoices' }}
      id={found?.id}
      beside={found && <Status of={found.status} />}
      actions={
        found && (
          <>
            {found.status === 'UNPAID' && <Pay invoice={found} />}
            <Button variant="default" onClick={() => window.print()}>
              Print
            </Button>
          </>
        )
      }
    >
      <Loaded query={invoice} lines={4}>
        {({ data }) => <Paper invoice={data} />}
      </Loaded>
    </Screen>
  );
}

function Pay({ invoice }: { invoice: InvoiceWithLines }) {
  const pay = usePayInvoice();
  const act = async () => {
    await pay.mutateAsync({ params: { id: invoice.id } });
    tell(`${invoice.number} is paid.`);
  };
  return (
    <Confirm
      label="Pay from wallet"
      question={`Pay ${rand(invoice.amount)}?`}
      destructive={false}
      variant="filled"
      act={act}
    >
      Invoice {invoice.number} is paid from your wallet.
    </Confirm>
  );
}

/** What is printed: who, when, what, how much. */
function Paper({ invoice }: { invoice: InvoiceWithLines }) {
  const { email } = useSession();
  const { issuedAt, dueAt, paidAt, lines, vat, amount } = invoice;
  return (
    <Stack className="card" p="md" gap="md">
      <Group gap="xl">
        <Fact name="To" value={email} />
        <Fact name="Issued" value={dateOf(issuedAt)} />
        <Fact name="Due" value={dateOf(dueAt)} />
        <Fact name="Paid" value={paidAt ? dateOf(paidAt) : 'not paid'} />
      </Group>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Description</Table.Th>
            <Table.Th ta="right">Amount</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {[...lines.entries()].map(([at, { description, amount: of }]) => (
            <Table.Tr key={at}>
              <Table.Td className="break">{description}</Table.Td>
              <Table.Td ta="right">{rand(of)}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td>VAT (15%), included</Table.Td>
            <Table.Td ta="right">{rand(vat)}</Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            <Table.Td ta="right" fw={700}>
              {rand(amount)}
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" className="break">
      {value}
    </Text>
  </div>
);
