// What a kind of vectors consists of.
import type { SemanticsProfile } from "@plimsoll/core";
import type { Fields } from "@plimsoll/core/internal/values";
import type { CaseDifference } from "../difference.ts";

/** A case is divided into what an implementation is asked, and what its answer is compared with. */
export interface VectorKind {
  /** What an implementation is asked: the case without its name and without what is expected. */
  readonly question: (vector: Fields) => Fields;
  /** What `@plimsoll/core` answers. */
  readonly answer: (question: Fields, semantics: SemanticsProfile) => Fields;
  /** Where an answer, whoever gave it, is not what the case expects. */
  readonly compare: (vector: Fields, answer: Fields) => readonly CaseDifference[];
}
