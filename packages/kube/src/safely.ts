/** Calls a listener. What it throws goes to `onError`; what that throws is lost, because no listener ends the work of its caller. */
export function safely(call: () => void, onError?: (error: unknown) => void): void {
  try {
    call();
  } catch (error) {
    if (onError !== undefined) safely(() => onError(error));
  }
}
