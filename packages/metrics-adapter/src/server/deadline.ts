import { readGoDuration } from "../go-duration.ts";

export const maxRequestMs = 60_000;

export type TimeoutResult =
  | { readonly ok: true; readonly timeoutMs: number }
  | { readonly ok: false; readonly message: string };

/**
 * How long a request may take. timeoutSeconds is for watches, which there are none of, but must be a number. Zero and anything above the maximum mean the maximum.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go#withRequestDeadline
 */
export function requestTimeout(query: URLSearchParams): TimeoutResult {
  const seconds = query.get("timeoutSeconds") ?? "0";
  if (!/^[+-]?\d+$/.test(seconds)) {
    return { ok: false, message: `strconv.ParseInt: parsing ${JSON.stringify(seconds)}: invalid syntax` };
  }
  const text = query.get("timeout");
  if (text === null || text === "") {
    return { ok: true, timeoutMs: maxRequestMs };
  }
  const timeoutMs = readGoDuration(text);
  if (timeoutMs === undefined) {
    return {
      ok: false,
      message: `invalid timeout specified in the request URL - time: invalid duration "${text}"`,
    };
  }
  const usable = timeoutMs > 0 && timeoutMs < maxRequestMs;
  return { ok: true, timeoutMs: usable ? timeoutMs : maxRequestMs };
}
