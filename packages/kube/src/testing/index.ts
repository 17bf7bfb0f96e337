// What tests of other packages need of this one: a client without a network.
export { type ByteStream, createByteStream } from "./byte-stream.ts";
export {
  type InProcessRequest,
  type InProcessResponse,
  inProcessClient,
} from "./in-process-client.ts";
