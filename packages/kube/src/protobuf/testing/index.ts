// Writes what servers send in protobuf, for tests and measurements.
export { type Field, varint, writeEnvelope, writeFrame, writeMessage } from "./write-message.ts";
export {
  type WriteKind,
  writeList,
  writePod,
  writePodMetrics,
  writeStatus,
  writeWorkload,
} from "./write-objects.ts";
