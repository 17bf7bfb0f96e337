// What tests of other packages need of this one: a client without a network, and what one is made from.
export { parseJson } from "../client/http/body.ts";
export { errorFromResponse } from "../client/http/error-response.ts";
export { defaultTimeoutMs } from "../client/http/http-client.ts";
export { parseRetryAfter } from "../client/http/retry-after.ts";
export { maxRelistMs } from "../watch/list-and-watch.ts";
export { defaultSilenceLimitMs } from "../watch/reflector.ts";
export { type ByteStream, createByteStream } from "./byte-stream.ts";
export {
  abortedError,
  type InProcessRequest,
  type InProcessResponse,
  inProcessClient,
} from "./in-process-client.ts";
export { type Authority, createAuthority, type Identity, issue } from "./pki.ts";
