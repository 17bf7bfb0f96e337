import { apiErrorText } from "./errors.ts";
import type { Logger } from "./log.ts";

type Tell = (error: unknown) => void;

export function watchErrorTeller(resource: string, log: Logger): Tell {
  return (error) => log.warn({ resource, error: apiErrorText(error) }, "watch failed; trying again");
}

/** A kind that is not installed, or may not be read, fails in the same way every time. */
export function onceEach(tell: Tell): Tell {
  let last: string | undefined;
  return (error) => {
    const text = apiErrorText(error);
    if (text !== last) tell(error);
    last = text;
  };
}
