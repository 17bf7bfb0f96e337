// Failures of the cluster, of Prometheus and of our own as the page shows them: in the server's words.
import { messageOf } from "@plimsoll/component-base";
import { redact } from "@plimsoll/core/redact";
import { type Failure, RequestError } from "@plimsoll/decisions/serve";
import { ApiError } from "@plimsoll/kube";
import type { Cluster } from "../../../cluster/cluster.ts";
import { isClusterError } from "../../../cluster/error-text.ts";
import { CliError } from "../../../seams.ts";

/** Codes of the API server that mean to the page what they mean to us. */
const passed: ReadonlySet<number> = new Set([400, 403, 404, 410, 429, 503]);

/** `onBug` gets what should not happen. */
export function failureOf(
  { errorText }: Pick<Cluster, "errorText">,
  onBug: (error: unknown) => void,
): (error: unknown) => Failure {
  return (error) => {
    if (error instanceof RequestError) return { ...error.failure, message: redact(error.failure.message) };
    if (error instanceof CliError) return failure(404, "NotFound", redact(messageOf(error)));
    if (!isClusterError(error)) {
      onBug(error);
      return failure(500, "InternalError", "the console failed: see the message in the terminal");
    }
    const message = errorText(error);
    if (!(error instanceof ApiError)) return failure(503, "ServiceUnavailable", message);
    // A 401 would have the page ask for a token, which only the autoscaler takes.
    return passed.has(error.code)
      ? failure(error.code, error.reason, message)
      : failure(502, error.reason === "" ? "BadGateway" : error.reason, message);
  };
}

function failure(code: number, reason: string, message: string): Failure {
  return { code, reason, message };
}
