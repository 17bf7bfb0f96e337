// Logs the errors of watches.

import type { Logger } from "@plimsoll/component-base";
import { apiErrorText } from "@plimsoll/kube";

type OnError = (error: unknown) => void;

/** Logs every error of the watches of a resource. */
export function watchErrorLogger(resource: string, log: Logger): OnError {
  return (error) => log.warn({ resource, error: apiErrorText(error) }, "watch failed; retrying");
}

/** A kind that is not installed, or may not be read, fails in the same way every time: only changes are reported. */
export function onceEach(onError: OnError): OnError {
  let last: string | undefined;
  return (error) => {
    const text = apiErrorText(error);
    if (text !== last) onError(error);
    last = text;
  };
}
