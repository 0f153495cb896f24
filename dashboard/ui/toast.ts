import { notifications } from '@mantine/notifications';
import { toFailure } from '../api/failure.ts';

const props = { closeButtonProps: { 'aria-label': 'Close' } };

/** Reports a success. */
export function toast(message: string): void {
  notifications.show({ ...props, message, color: 'teal' });
}

/**
 * Reports a failure outside of forms. It stays until the user closes it.
 *
 * @param action label of the button that started the action, if that is no longer shown
 */
export function toastError(error: unknown, action?: string): void {
  const { message, requestId } = toFailure(error);
  const id = requestId ? ` Request id: ${requestId}` : '';
  const text =
    action === undefined ? { title: message, message: id } : { title: `“${action}” failed`, message: message + id };
  notifications.show({ ...props, ...text, color: 'red', autoClose: false });
}
