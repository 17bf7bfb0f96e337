// What a kind of vectors consists of.
import type { SemanticsProfile } from "@plimsoll/core";
import type { CaseDifference } from "../difference.ts";
import type { Json } from "../read.ts";

/** A case is divided into what an implementation is asked, and what its answer is compared with. */
export interface VectorKind {
  /** What an implementation is asked: the case without its name and without what is expected. */
  readonly question: (vector: Json) => Json;
  /** What `@plimsoll/core` answers. */
  readonly answer: (question: Json, semantics: SemanticsProfile) => Json;
  /** Where an answer, whoever gave it, is not what the case expects. */
  readonly compare: (vector: Json, answer: Json) => readonly CaseDifference[];
}
