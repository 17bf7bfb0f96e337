// Hides secrets in messages and addresses, and addresses in what tenants read; cuts what others wrote.
export { cutMessage, cutText } from "./cut.ts";
/** The one place that keeps secrets out of messages: of errors, log lines and reports. */
export { publicText, registerHost } from "./public.ts";
export { registerSecret, secretsOfHeader } from "./secrets.ts";
export { redact, redactUrl } from "./text.ts";
