// Hides secrets in messages and addresses.
/** The one place that keeps secrets out of messages: of errors, log lines and reports. */
export { redact } from "./text.ts";
export { redactUrl } from "./url.ts";
