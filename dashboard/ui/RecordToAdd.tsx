import { CopyText } from './CopyText.tsx';

/** A DNS record for the owner of a domain to add, with its parts to copy. */
export const RecordToAdd = ({
  record: { type, name, value },
}: {
  record: Record<'type' | 'name' | 'value', string>;
}) => (
  <dl className="record">
    <dt>Name</dt>
    <dd>
      <CopyText name={`the name of the ${type} record`} text={name} />
    </dd>
    <dt>Value</dt>
    <dd>
      <CopyText name={`the value of the ${type} record`} text={value} />
    </dd>
  </dl>
);
