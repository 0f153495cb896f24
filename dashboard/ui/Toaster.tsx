import { Notifications } from '@mantine/notifications';

/** Container of the toasts. It shows two at a time, so that they do not cover a form. */
const Toaster = () => <Notifications position="bottom-right" autoClose={6000} limit={2} />;
export default Toaster;
