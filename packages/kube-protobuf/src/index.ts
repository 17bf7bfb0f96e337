// Kubernetes' protobuf: what Plimsoll reads in bulk, straight from the bytes.
export {
  type KindReader,
  protobufMediaType,
  protobufOrJson,
  type ReadPage,
  type ReadStatus,
  type ReadWatchEvent,
  readPage,
  readStatusResponse,
  readWatchFrame,
} from "./envelope.ts";
export type { ReadMetadata, ReadObject } from "./objects/metadata.ts";
export type { ReadPod } from "./objects/pod.ts";
export { metadataReader, podReader, workloadReaderOf } from "./objects/readers.ts";
export type { ReadWorkload } from "./objects/workload.ts";
export { type PodUsage, podUsageReader } from "./usage/pod-usage.ts";
export { ProtobufError } from "./wire/reader.ts";
