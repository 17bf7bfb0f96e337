// Checks that a write is still permitted right before it is sent.
import type { Dispatcher } from "undici";
import { ConnectionError } from "../api-error.ts";

/**
 * Calls `maySend` right before the request is written to its connection. Reading credentials and opening a connection take time,
 * and a process that is suspended meanwhile continues there, before any timer of it runs.
 */
export function checkBeforeSend(
  maySend: () => boolean,
  what: string,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        if (maySend()) handler.onRequestStart?.(controller, context);
        else
          controller.abort(
            new ConnectionError("aborted", `${what}: not sent, because this process lost the right to it`),
          );
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });
}
