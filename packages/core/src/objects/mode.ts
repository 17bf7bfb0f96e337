/**
 * "Active": the decision is carried out. "Shadow" and "Paused": it is not, so the status has no scale, and the memory
 * waits for what another controller does; see `UnconfirmedScale`. The status of a HorizontalPodAutoscaler in mode
 * Shadow is the one that the built-in controller writes, so that the two can be compared.
 */
export type DecisionMode = "Active" | "Shadow" | "Paused";
