import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { describePayment } from '../../contract/billing/invoice-payment.ts';
import { useApi } from '../api/context.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { saveFile } from '../ui/save-file.ts';
import { formatDate } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { type InvoiceDetails, useInvoice, usePayInvoice } from './api.ts';

/** One invoice, for screen and print. */
export function InvoiceScreen({ id }: { id: string }) {
  const invoice = useInvoice(id);
  const found = invoice.data?.data;
  return (
    <Screen
      title={found ? `Invoice ${found.number}` : 'Invoice'}
      crumbs={[
        { href: '/billing', name: 'Billing' },
        { href: '/billing/invoices', name: 'Invoices' },
      ]}
      id={found?.id}
      beside={found && <Status value={found.status} />}
      actions={
        found && (
          <>
            {found.status === 'UNPAID' && <PayButton invoice={found} />}
            <DownloadButton invoice={found} />
            <Button variant="default" onClick={() => window.print()}>
              Print
            </Button>
          </>
        )
      }
    >
      <QueryBoundary query={invoice} lines={4}>
        {({ data }) => <InvoiceDocument invoice={data} />}
      </QueryBoundary>
    </Screen>
  );
}

function PayButton({ invoice }: { invoice: InvoiceDetails }) {
  const pay = usePayInvoice();
  const payInvoice = async () => {
    await pay.mutateAsync({ params: { id: invoice.id } });
    toast(`Invoice ${invoice.number} paid.`);
  };
  return (
    <ConfirmButton
      label="Pay from wallet"
      question={`Pay ${formatRand(invoice.amount)}?`}
      destructive={false}
      variant="filled"
      onConfirm={payInvoice}
    >
      Pays invoice {invoice.number} from your wallet.
    </ConfirmButton>
  );
}

function DownloadButton({ invoice: { id, number } }: { invoice: InvoiceDetails }) {
  const api = useApi();
  const download = async () => saveFile(await api.download(`/v1/invoices/${id}/pdf`), `${number}.pdf`);
  return (
    <ActionButton right="member" action={download}>
      Download PDF
    </ActionButton>
  );
}

/** The printable part of an invoice. */
function InvoiceDocument({ invoice }: { invoice: InvoiceDetails }) {
  const { number, seller, customer, issuedAt, dueAt, lines, vat, amount } = invoice;
  const net = Number(amount) - Number(vat);
  return (
    <Stack className="card" p="md" gap="md" component="article" aria-label={`${titleOf(invoice)} ${number}`}>
      <Text fw={650}>
        {titleOf(invoice)} {number}
      </Text>
      <SimpleGrid cols={2}>
        <Party name="From" lines={[seller.name, seller.address, seller.vatNumber && `VAT no. ${seller.vatNumber}`]} />
        <Party name="To" lines={[customer.name, customer.email]} />
      </SimpleGrid>
      <Group gap="xl">
        <Fact name="Issued" value={formatDate(issuedAt)} />
        <Fact name="Due" value={formatDate(dueAt)} />
        <Fact name="Paid" value={describePayment(invoice, formatDate)} />
      </Group>
      <table className="table">
        <thead>
          <tr>
            <th>Description</th>
            <th className="number">Amount</th>
          </tr>
        </thead>
        <tbody>
          {[...lines.entries()].map(([index, { description, amount: lineAmount }]) => (
            <tr key={index}>
              <td className="break">{description}</td>
              <td className="number">{formatRand(lineAmount)}</td>
            </tr>
          ))}
          <tr>
            <td>Total excluding VAT</td>
            <td className="number">{formatRand(net)}</td>
          </tr>
          <tr>
            <td>VAT (15%), included</td>
            <td className="number">{formatRand(vat)}</td>
          </tr>
          <tr>
            <th scope="row">Total including VAT</th>
            <td className="number total">{formatRand(amount)}</td>
          </tr>
        </tbody>
      </table>
    </Stack>
  );
}

/** Only a registered vendor may call its invoice a tax invoice (Value-Added Tax Act 89 of 1991, section 20). */
const titleOf = ({ seller }: InvoiceDetails): string => (seller.vatNumber ? 'Tax invoice' : 'Invoice');

const Party = ({ name, lines }: { name: string; lines: readonly (string | null)[] }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    {lines
      .filter((line) => line !== null && line !== '')
      .map((line) => (
        <Text key={line} size="sm" className="break">
          {line}
        </Text>
      ))}
  </div>
);

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
