import type { KindReader, ReadObject } from "@plimsoll/kube-protobuf";

/** How the objects of a watched resource are read from protobuf. */
export type ProtobufKind = KindReader<ReadObject>;
