// The stage that limits the time of a request.
import type { Clock } from "@plimsoll/component-base";
import { parseGoDuration } from "@plimsoll/core/duration";
import { badRequest, deadlineExceeded } from "../../api/failure.ts";
import { int64Problem } from "../../api/int64.ts";
import { failed } from "../../api/reply.ts";
import { setDeadline } from "../../backends/request-deadline.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext } from "../request-context.ts";
import type { Outcome, Stage } from "../stage.ts";

const maxRequestMs = 60_000;

/** Ends a request at its timeout, and what works for it when its caller goes away. */
export function deadline<C extends ApiContext>(options: {
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, "refused">;
}): Stage<C> {
  const { clock, telemetry } = options;
  const beforeDeadline = (
    context: ApiContext,
    outcome: Promise<Outcome>,
    timeoutMs: number,
  ): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        context.response.off("close", onClose);
      };
      const abort = (early: Outcome): void => {
        end();
        controllerOf(context).abort();
        resolve(early);
      };
      const onClose = (): void => abort("sent");
      const cancel = clock.after(timeoutMs, () => {
        telemetry.refused("deadline");
        abort(failed(deadlineExceeded));
      });
      context.response.once("close", onClose);
      outcome.finally(end).then(resolve, reject);
    });
  return (next) => (context) => {
    // Its caller went away while a token was reviewed: "close" has been emitted already.
    if (context.response.destroyed) return "sent";
    const timeout = requestTimeout(context.info.query);
    if (!timeout.ok) return failed(badRequest(timeout.message));
    context.deadlineAtMs = clock.nowMs() + timeout.timeoutMs;
    const outcome = next(context);
    return outcome instanceof Promise ? beforeDeadline(context, outcome, timeout.timeoutMs) : outcome;
  };
}

/** Aborts at the deadline, or when the caller goes away. */
export function signalOf(context: ApiContext): AbortSignal {
  return controllerOf(context).signal;
}

function controllerOf(context: ApiContext): AbortController {
  if (context.controller === undefined) {
    context.controller = new AbortController();
    setDeadline(context.controller.signal, context.deadlineAtMs);
  }
  return context.controller;
}

type TimeoutResult =
  | { readonly ok: true; readonly timeoutMs: number }
  | { readonly ok: false; readonly message: string };

/**
 * timeoutSeconds is for watches, which do not exist here, but must be a number. Zero and anything above the maximum
 * mean the maximum.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go#withRequestDeadline
 */
function requestTimeout(query: URLSearchParams): TimeoutResult {
  const problem = int64Problem(query.get("timeoutSeconds"));
  if (problem !== undefined) return { ok: false, message: problem };
  const text = query.get("timeout");
  if (text === null || text === "") return { ok: true, timeoutMs: maxRequestMs };
  const timeoutMs = parseGoDuration(text);
  if (timeoutMs === undefined) {
    return {
      ok: false,
      message: `invalid timeout specified in the request URL - time: invalid duration "${text}"`,
    };
  }
  const isUsable = timeoutMs > 0 && timeoutMs < maxRequestMs;
  return { ok: true, timeoutMs: isUsable ? timeoutMs : maxRequestMs };
}
