import type { KindReader, ReadObject } from "../protobuf/index.ts";

/** How the objects of a watched resource are read from protobuf. */
export type ProtobufKind = KindReader<ReadObject>;
